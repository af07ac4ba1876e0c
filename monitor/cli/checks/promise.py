"""What the configuration promises about false alarms, over everything that it watches."""

from monitor.cli.checks.line import Line, ok, warn
from monitor.config.promise import TRAFFIC, false_alarms, watches
from monitor.config.tree import Config

CHECK = "false alarms"
MANY = 1.0  # a half-year, from which an alarm is hardly news


def check_promise(config: Config) -> list[Line]:
    watched = watches(config)
    if not watched:
        return []
    expected, sets = false_alarms(config), sum(watch.what != TRAFFIC for watch in watched)
    lowest, highest = min(watch.alpha for watch in watched), max(watch.alpha for watch in watched)
    each = f"{lowest:.2g}" if lowest == highest else f"{lowest:.2g} to {highest:.2g}"
    sentence = (
        f"at most {expected:.2g} expected in half a year without a known change: {_count(sets, 'set')} and the traffic "
        f"of {_count(len(watched) - sets, 'deployment')}, each with a chance of {each} (alerts.alpha_over: "
        f"{config.alerts.alpha_over})"
    )
    if expected < MANY:
        return [ok(CHECK, sentence)]
    return [warn(CHECK, f"{sentence}; set alerts.alpha_over to share the chance, or lower drift.alpha_silent")]


def _count(n: int, noun: str) -> str:
    return f"{n} {noun}" if n == 1 else f"{n} {noun}s"
