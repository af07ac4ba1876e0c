"""`driftd alerts rules`: the alerting rules and their precision."""

from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from monitor.api.schema import RuleItem
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
