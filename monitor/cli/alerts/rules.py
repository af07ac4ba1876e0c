"""`driftd alerts rules` and `driftd alerts conditions`: the alerting rules, and what they observe now."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from monitor.api.schema import ConditionItem, RuleItem
from monitor.cli.connection.session import Session, with_session
from monitor.cli.options import Deployment
from monitor.cli.terminal.output import print_table

MAX_RULES = 500


@with_session
def list_rules(
    session: Session,
    deployment: Deployment = None,
    days: Annotated[int | None, typer.Option(min=1, help="Count alerts of this many days. Default: all.")] = None,
) -> None:
    """List the alerting rules: severity, delays, receivers, and how people judged their alerts.

    Precision is the share of judged alerts that were true or expected.
    """
    since = None if days is None else (datetime.now(UTC) - timedelta(days=days)).isoformat()
    page = session.api.list("/api/v1/rules", RuleItem, limit=MAX_RULES, deployment=deployment, since=since)
    columns = ("rule", "severity", "for", "keep firing", "receivers", "fired", "true", "false", "expected", "precision")
    session.show(page, lambda: print_table(columns, [_row(rule) for rule in page.items], "no rule"))


def _row(rule: RuleItem) -> tuple[object, ...]:
    severity = (rule.severity or "as found") if rule.enabled else "off"
    precision = None if rule.precision is None else f"{100 * rule.precision:.0f} %"
    return (
        rule.name,
        severity,
        f"{rule.for_s:g} s",
        f"{rule.keep_firing_for_s:g} s",
        ", ".join(rule.receivers),
        rule.fired,
        rule.judged_true,
        rule.judged_false,
        rule.judged_expected,
        precision,
    )


@with_session
def list_conditions(
    session: Session,
    deployment: Deployment = None,
    firing: Annotated[bool, typer.Option("--firing", help="Only conditions that fire.")] = False,
) -> None:
    """List the conditions of driftd's own health: firing, unknown or clear, with the figure and the threshold.

    They need a running daemon.
    """
    page = session.api.list("/api/v1/rules/conditions", ConditionItem, limit=MAX_RULES, deployment=deployment)
    shown = page.model_copy(update={"items": [one for one in page.items if not firing or one.state == "firing"]})
    rows = [(one.state, one.rule, one.deployment, one.subject, one.reason) for one in shown.items]
    columns = ("state", "rule", "deployment", "subject", "reason")
    session.show(shown, lambda: print_table(columns, rows, "no condition"))
