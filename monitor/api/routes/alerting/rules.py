"""Alerting rules: their settings, and how people judged their alerts."""

from fastapi import APIRouter

from monitor.alerting.group import runbook_url
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import Instant, Name
from monitor.api.schema import ListPage, RuleItem
from monitor.domain.policy import AlertPolicy
from monitor.domain.rules import RULES, Rule
from monitor.store.findings import alert_events
from monitor.store.findings.alert_events import RulePrecision

router = APIRouter(prefix="/api/v1/rules", tags=["alerts"])


@router.get("", **needs(Role.READ))
def list_rules(context: Context, deployment: Name = None, since: Instant = None) -> ListPage[RuleItem]:
    """List all alerting rules. The counts are those of alerts that fired since `since`, of one deployment or of all."""
    with context.store.read() as tx:
        judged = {row.rule: row for row in alert_events.precision(tx, since=since, deployment=deployment)}
    items = [_item(rule, context.policy.alerts, judged.get(name)) for name, rule in RULES.items()]
    return ListPage(items=items, next_cursor=None)


def _item(rule: Rule, policy: AlertPolicy, judged: RulePrecision | None) -> RuleItem:
    settings = policy.rule(rule.name)
    return RuleItem(
        name=rule.name,
        area=rule.area.value,
        summary=rule.summary,
        enabled=settings.enabled,
        severity=settings.severity or rule.severity,
        for_s=settings.for_s,
        keep_firing_for_s=settings.keep_firing_for_s,
        repeat_s=settings.repeat_s,
        receivers=list(settings.receivers),
        runbook_url=runbook_url(policy, rule.name),
        fired=judged.fired if judged else 0,
        judged_true=judged.true if judged else 0,
        judged_false=judged.false if judged else 0,
        judged_expected=judged.expected if judged else 0,
        precision=judged.precision if judged else None,
    )
