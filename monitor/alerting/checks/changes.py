"""Decides whether a detected change has waited too long for its first verdict."""

from collections.abc import Mapping
from datetime import datetime

from monitor.alerting.checks.condition import Condition, ConditionState, minutes, when
from monitor.domain.version import Change

RULE = "ChangeNotEvaluated"


def change_condition(
    deployment: str, change: Change | None, waiting: Mapping[str, datetime], limit_s: float, now: datetime
) -> Condition:
    """Return the condition of the newest change of a deployment.

    `waiting` has the sets without a verdict since the change, each with the time since which it waits: a set that got
    its first cases after the change waits since then.
    """
    late = {name: since for name, since in waiting.items() if (now - since).total_seconds() > limit_s}
    if change is None or not waiting:
        state, reason = ConditionState.CLEAR, f"every set of {deployment} has a verdict since its newest change"
    elif not late:
        state, reason = ConditionState.UNKNOWN, f"change {change.id} of {deployment} waits for its verdict"
    else:
        longest_s = max((now - since).total_seconds() for since in late.values())
        state = ConditionState.FIRING
        reason = (
            f"change {change.id} of {deployment} ({change.kind.value}, {when(change.noted_at)}) has no verdict for "
            f"{minutes(longest_s)} on {', '.join(sorted(late))} (limit {minutes(limit_s)}, alerts.checks.change_hours)"
            f"; see `driftd replay list`, then run `driftd replay run {deployment} {min(late)}`"
        )
    return Condition(rule=RULE, deployment=deployment, subject="newest change", state=state, reason=reason)
