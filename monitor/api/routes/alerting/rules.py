"""Alerting rules: their settings, how people judged their alerts, and the conditions that they observe."""

from fastapi import APIRouter

from monitor.alerting.checks.condition import Condition, ConditionState
from monitor.alerting.group import runbook_url
from monitor.alerting.runbook import runbook
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.context import Context
from monitor.api.listing import Instant, Name
from monitor.api.schema import ConditionItem, ListPage, RuleItem, RunbookItem
from monitor.domain.policy import AlertPolicy
from monitor.domain.rules import RULES, Rule
from monitor.errors import unknown
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


@router.get("/conditions", **needs(Role.READ))
def list_conditions(context: Context, deployment: Name = None) -> ListPage[ConditionItem]:
    """List the conditions of driftd's own health as last read, those that fire first. A process that runs no loops has
    none.
    """
    found = [one for one in context.conditions() if deployment is None or one.deployment == deployment]
    found.sort(key=lambda one: (_ORDER[one.state], one.key))
    return ListPage(items=[_condition(one) for one in found], next_cursor=None)


_ORDER = {ConditionState.FIRING: 0, ConditionState.UNKNOWN: 1, ConditionState.CLEAR: 2}


def _condition(one: Condition) -> ConditionItem:
    return ConditionItem(
        rule=one.rule, deployment=one.deployment, subject=one.subject, state=one.state.value, reason=one.reason
    )


@router.get("/{name}/runbook", **needs(Role.READ))
def get_runbook(context: Context, name: str) -> RunbookItem:
    """Return the runbook page of a rule as Markdown."""
    text = runbook(name)
    if text is None:
        raise unknown("rule", name, RULES)
    return RunbookItem(rule=name, url=runbook_url(context.policy.alerts, name), text=text)


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
