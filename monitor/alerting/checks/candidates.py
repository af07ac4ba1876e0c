"""Decides whether candidates wait too long for review."""

from dataclasses import dataclass
from datetime import datetime

from monitor.alerting.checks.condition import Condition, ConditionState, minutes, when
from monitor.domain.check_policy import CheckPolicy

RULE = "CandidatesWaiting"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """The candidates of a deployment that no one has accepted or rejected. `oldest` is None without one."""

    count: int = 0
    oldest: datetime | None = None


def candidates_condition(deployment: str, waiting: Waiting, policy: CheckPolicy, now: datetime) -> Condition:
    """Return the condition. It fires when the oldest candidate waits too long, or when too many wait."""
    age_s = 0.0 if waiting.oldest is None else (now - waiting.oldest).total_seconds()
    late, many = age_s > policy.candidate_age_s, waiting.count > policy.candidates_most
    reason = f"{waiting.count} candidates of {deployment} wait for review"
    if waiting.oldest is not None:
        reason += f", the oldest since {when(waiting.oldest)}"
    if late or many:
        limits = f"{minutes(policy.candidate_age_s)}, alerts.checks.candidate_days"
        limits += f", and {policy.candidates_most}, alerts.checks.candidates_most"
        reason += f" (limits {limits}); review them with `driftd candidates list --deployment {deployment}`"
    return Condition(
        rule=RULE,
        deployment=deployment,
        subject="candidates",
        state=ConditionState.FIRING if late or many else ConditionState.CLEAR,
        reason=reason,
    )
