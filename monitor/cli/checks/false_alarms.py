"""The check of `alerts.alpha_scope`: how many false alarms the configuration allows."""

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.false_alarms import TRAFFIC, false_alarm_budgets, false_alarms
from monitor.config.tree import Config

CHECK = "false alarms"
MANY = 1.0  # a half-year; more false alarms than this make people ignore alerts


def check_false_alarms(config: Config) -> list[Line]:
    budgets = false_alarm_budgets(config)
    if not budgets:
        return []
    expected, sets = false_alarms(config), sum(budget.what != TRAFFIC for budget in budgets)
    lowest, highest = min(budget.alpha for budget in budgets), max(budget.alpha for budget in budgets)
    each = f"{lowest:.2g}" if lowest == highest else f"{lowest:.2g} to {highest:.2g}"
    sentence = (
        f"at most {expected:.2g} expected in half a year without a known change: {_count(sets, 'set')} and the traffic "
        f"of {_count(len(budgets) - sets, 'deployment')}, each with a chance of {each} (alerts.alpha_scope: "
        f"{config.alerts.alpha_scope})"
    )
    if expected < MANY:
        return [ok(CHECK, sentence)]
    return [warn(CHECK, f"{sentence}; set alerts.alpha_scope to share the chance, or lower drift.alpha_unannounced")]


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
