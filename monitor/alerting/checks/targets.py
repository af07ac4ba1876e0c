"""Decides whether the target of a deployment cannot be reached or rejects the credentials, from its newest run."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from monitor.alerting.checks.condition import Condition, ConditionState
from replay.targets.failure import ErrorClass

RULES = ("TargetUnreachable", "TargetUnauthorized")
FEWEST_CALLS = 8  # of a run in progress: fewer failures are not an outage of the target
_OUTAGE = re.compile(r"calls in a row failed with (\w+),")  # replay/run/outage.py writes it into the error of the run


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetRun:
    """The newest run of a deployment that started. `errors` counts its outcomes without a reply by error class."""

    id: str
    running: bool
    error: str | None
    outcomes: int
    errors: Mapping[str, int] = field(default_factory=dict)


def target_conditions(deployment: str, target: str, run: TargetRun | None, share: float) -> list[Condition]:
    """Return one condition for each of `RULES`.

    A rule fires when the newest run ended, or waits, because of an outage of that kind, or when at least `share` of its
    outcomes have such an error. It clears when a run ended without one. A run in progress clears nothing: until it has
    a result, the target that could not be reached explains why there is none.
    """
    found = None if run is None else _failure(run, share)
    unknown = run is None or (found is None and (run.running or run.outcomes == 0))
    states = {
        "TargetUnreachable": found is not None and found is not ErrorClass.AUTH,
        "TargetUnauthorized": found is ErrorClass.AUTH,
    }
    return [
        Condition(
            rule=rule,
            deployment=deployment,
            subject=f"target {target}",
            state=ConditionState.UNKNOWN if unknown else ConditionState.FIRING if firing else ConditionState.CLEAR,
            reason=_reason(deployment, target, run, found if firing else None),
        )
        for rule, firing in states.items()
    ]


def _failure(run: TargetRun, share: float) -> ErrorClass | None:
    """Return the error class that concerns the whole target; None when the run shows none."""
    outage = _OUTAGE.search(run.error or "")
    if outage is not None and outage.group(1) in set(ErrorClass):
        return ErrorClass(outage.group(1))
    wide = {name: count for name, count in run.errors.items() if name in set(ErrorClass)}
    wide = {name: count for name, count in wide.items() if ErrorClass(name).blames_target}
    if run.outcomes < FEWEST_CALLS or sum(wide.values()) < share * run.outcomes:
        return None
    return ErrorClass(max(wide, key=lambda name: wide[name])) if wide else None


def _reason(deployment: str, target: str, run: TargetRun | None, failure: ErrorClass | None) -> str:
    if run is None:
        return f"no run of {deployment} has called target {target} yet"
    if failure is None:
        return f"run {run.id} got replies from target {target}"
    what = "rejects the credentials" if failure is ErrorClass.AUTH else f"fails with {failure.value}"
    why = run.error or f"{run.errors.get(failure.value, 0)} of {run.outcomes} calls failed with {failure.value}"
    return f"target {target} of {deployment} {what}: {why} (run {run.id}); try `driftd check --call-targets`"
