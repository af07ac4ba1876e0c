"""The health of the judges, the sets and the ingest of a deployment, from its open alerts and its conditions."""

from collections.abc import Sequence

from monitor.alerting.checks.condition import DAEMON, Condition, ConditionState
from monitor.api.schema.overview import AreaHealthItem
from monitor.domain.alert import Alert
from monitor.domain.rules import RULES, Area

JUDGE_RULES = frozenset({"JudgeDrift"})
SET_RULES = frozenset(rule.name for rule in RULES.values() if rule.area is Area.SETS)
INGEST_RULES = frozenset(rule.name for rule in RULES.values() if rule.area is Area.TELEMETRY)


def area_health(
    rules: frozenset[str],
    deployment: str,
    alerts: Sequence[Alert],
    conditions: Sequence[Condition],
    problems: Sequence[str] = (),
) -> AreaHealthItem:
    """Return the health of one area. `alerts` are the open ones of the deployment and of driftd itself; `problems` are
    others that no alert reports. Without an alert and without a clear condition the health is unknown.
    """
    found = [*(alert.summary for alert in alerts if alert.rule in rules), *problems]
    mine = [one for one in conditions if one.rule in rules and one.deployment in {deployment, DAEMON}]
    found += [one.reason for one in mine if one.state is ConditionState.FIRING and one.reason not in found]
    if found:
        return AreaHealthItem(state="problem", reason="; ".join(dict.fromkeys(found)))
    clear = [one for one in mine if one.state is ConditionState.CLEAR and one.deployment == deployment]
    if clear:
        return AreaHealthItem(
            state="ok", reason=f"no problem found by {', '.join(sorted({one.rule for one in clear}))}"
        )
    return AreaHealthItem(state="unknown", reason="nothing measured it yet")
