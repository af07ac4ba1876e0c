"""Decides whether an open replay is late: it has not started, or it runs for much longer than usual."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from monitor.alerting.checks.condition import Condition, ConditionState, minutes, when
from monitor.domain.check_policy import CheckPolicy
from monitor.domain.replay_health import replays_of

RULE = "ReplayLate"
ENOUGH_RUNS = 3  # complete runs from which the usual duration is known


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenReplay:
    """A run that has not ended. `waits` is true while it waits for its target. `busy` is true while another
    run of the deployment is running. `durations_s` are those of the newest complete runs of the set, in seconds.
    """

    id: str
    due_since: datetime
    started_at: datetime | None
    waits: bool
    busy: bool
    durations_s: Sequence[float]


def late_condition(
    deployment: str, set_name: str, run: OpenReplay | None, policy: CheckPolicy, now: datetime
) -> Condition:
    """Return the condition of ReplayLate."""
    if run is None:
        state, reason = ConditionState.CLEAR, "no run is open"
    elif run.waits:
        state, reason = ConditionState.UNKNOWN, f"run {run.id} waits for its target"
    elif run.started_at is None:
        state, reason = _late_start(run, policy, now)
    else:
        state, reason = _late_end(run, run.started_at, policy, now)
    return Condition(
        rule=RULE,
        deployment=deployment,
        subject=replays_of(deployment, set_name),
        state=state,
        reason=f"{set_name} on {deployment}: {reason}",
    )


def _late_start(run: OpenReplay, policy: CheckPolicy, now: datetime) -> tuple[ConditionState, str]:
    late_s = (now - run.due_since).total_seconds()
    if late_s <= policy.replay_start_s or run.busy:
        return ConditionState.CLEAR, f"run {run.id} waits for its turn"
    limit = f"limit {minutes(policy.replay_start_s)}, alerts.checks.replay_start_minutes"
    what = f"run {run.id} is due since {when(run.due_since)} and has not started for {minutes(late_s)} ({limit})"
    return ConditionState.FIRING, f"{what}; see `driftd replay show {run.id}`"


def _late_end(run: OpenReplay, started_at: datetime, policy: CheckPolicy, now: datetime) -> tuple[ConditionState, str]:
    if len(run.durations_s) < ENOUGH_RUNS:
        return ConditionState.UNKNOWN, f"fewer than {ENOUGH_RUNS} complete runs show the usual duration"
    usual_s, took_s = median(run.durations_s), (now - started_at).total_seconds()
    limit_s = max(policy.replay_late_factor * usual_s, policy.replay_late_least_s)
    if took_s <= limit_s:
        return ConditionState.CLEAR, f"run {run.id} is within its usual duration"
    limit = f"limit {minutes(limit_s)}, alerts.checks.replay_late_factor"
    what = f"run {run.id} is running for {minutes(took_s)}, usually {minutes(usual_s)} ({limit})"
    return ConditionState.FIRING, f"{what}; see `driftd replay show {run.id}`"
