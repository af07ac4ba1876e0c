"""Decides whether a set leaked, is used up, no longer separates versions, or no longer resembles the traffic."""

from dataclasses import dataclass
from datetime import datetime

from monitor.alerting.checks.condition import Condition, ConditionState, when
from monitor.alerting.checks.leaks import leak_subject
from monitor.health.exposure import Exposure
from monitor.health.report import FAR, SATURATED, SATURATED_VERSIONS, is_saturated, is_stale
from monitor.health.saturation import Saturation
from monitor.health.staleness import Staleness

RULES = ("SetLeaked", "ExposureBudgetSpent", "SetSaturated", "SetStale")


@dataclass(frozen=True, slots=True, kw_only=True)
class Leak:
    """Production calls that contain the canary of a set, and the time of the first of them."""

    calls: int
    first_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SetState:
    """What is known about the current revision of a set of a deployment; None is not known or not applicable."""

    deployment: str
    set_name: str
    revision: str
    leak: Leak | None = None
    exposure: Exposure | None = None
    saturation: Saturation | None = None
    staleness: Staleness | None = None


_Found = tuple[ConditionState, str]


def set_conditions(state: SetState) -> list[Condition]:
    """Return one condition for each of `RULES`.

    The subject of SetLeaked contains the revision: no later search proves that a leak is gone, only new cases do.
    """
    found = {
        "SetLeaked": _leaked(state),
        "ExposureBudgetSpent": _exposure(state),
        "SetSaturated": _saturated(state),
        "SetStale": _stale(state),
    }
    return [
        Condition(
            rule=rule,
            deployment=state.deployment,
            subject=leak_subject(state.set_name, state.revision) if rule == "SetLeaked" else f"set {state.set_name}",
            state=condition,
            reason=reason,
        )
        for rule, (condition, reason) in found.items()
    ]


def _leaked(state: SetState) -> _Found:
    if state.leak is None:
        return ConditionState.UNKNOWN, f"no production call contains the canary of {state.set_name}"
    reason = (
        f"the canary of {state.set_name} is in {state.leak.calls} production calls, the first of "
        f"{when(state.leak.first_at)}; find them with `driftd sets leakcheck {state.set_name}` and replace the cases"
    )
    return ConditionState.FIRING, reason


def _exposure(state: SetState) -> _Found:
    found = state.exposure
    if found is None or not found.due:
        return ConditionState.CLEAR, f"no case of {state.set_name} reached an exposure budget"
    reason = (
        f"{len(found.over_budget)} of {found.cases} cases of {state.set_name} reached the exposure budget of "
        f"{found.budget} calls and reveals (sets.{state.set_name}.exposure_budget); list them with "
        f"`driftd sets rotate {state.set_name}` and replace them"
    )
    return ConditionState.FIRING, reason


def _saturated(state: SetState) -> _Found:
    found = state.saturation
    if found is None or found.share is None:
        return ConditionState.UNKNOWN, f"too few versions have replayed {state.set_name}"
    what = f"{found.share:.0%} of the cases of {state.set_name} had the same score under all {found.versions} versions"
    if not is_saturated(found):
        return ConditionState.CLEAR, what
    limit = f"limit {SATURATED:.0%} of at least {SATURATED_VERSIONS} versions"
    return ConditionState.FIRING, f"{what} ({limit}); see `driftd sets health {state.set_name}`, and add harder cases"


def _stale(state: SetState) -> _Found:
    found = state.staleness
    if found is None or found.distant is None or found.distant_low is None:
        return ConditionState.UNKNOWN, f"too few cases or calls to compare {state.set_name} with the traffic"
    what = f"{found.distant:.0%} of the traffic of {state.deployment} is near no case of {state.set_name} (usual 10%)"
    if not is_stale(found):
        return ConditionState.CLEAR, what
    limit = f"at least {found.distant_low:.0%} with 95 % confidence, limit {FAR:.0%}"
    action = f"see `driftd sets health {state.set_name}`, and add cases of current questions"
    return ConditionState.FIRING, f"{what}; {limit}; {action}"
