"""Decides whether ingest rejects requests, lags, or receives records that it cannot decode."""

from dataclasses import dataclass

from monitor.alerting.checks.condition import DAEMON, Condition, ConditionState, minutes
from monitor.domain.check_policy import CheckPolicy

RULES = ("IngestRejecting", "IngestLagging", "DeadLetters")


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestTotals:
    """What ingest did within the window. `waited_s` is the longest time of a batch from its arrival to its commit
    within the last two minutes; `most_refused` is the most frequent error code.
    """

    requests: int  # answered and refused
    refused: int
    most_refused: str | None
    records: int  # stored, known already, and dead letters
    dead_letters: int
    waited_s: float


def ingest_conditions(totals: IngestTotals, rows: int, capacity: int, policy: CheckPolicy) -> list[Condition]:
    """Return one condition for each of `RULES`. `rows` of `capacity` rows are in the intake."""
    states = {
        "IngestRejecting": _rejecting(totals, policy),
        "IngestLagging": _lagging(totals, rows, capacity, policy),
        "DeadLetters": _dead_letters(totals, policy),
    }
    return [
        Condition(
            rule=rule,
            deployment=DAEMON,
            subject="ingest",
            state=ConditionState.FIRING if firing else ConditionState.CLEAR,
            reason=reason,
        )
        for rule, (firing, reason) in states.items()
    ]


def _rejecting(totals: IngestTotals, policy: CheckPolicy) -> tuple[bool, str]:
    share = totals.refused / totals.requests if totals.requests else 0.0
    what = f"driftd refused {totals.refused} of {totals.requests} requests within {minutes(policy.ingest_window_s)}"
    if totals.refused < policy.ingest_fewest or share < policy.refused_share:
        return False, what
    limit = f"limit {policy.refused_share:.0%}, alerts.checks.refused_share"
    return True, f"{what}, most with {totals.most_refused} ({limit}); see driftd's log and `driftd db info`"


def _lagging(totals: IngestTotals, rows: int, capacity: int, policy: CheckPolicy) -> tuple[bool, str]:
    filled = rows / capacity if capacity else 0.0
    slow = totals.waited_s > policy.commit_wait_s
    if filled < policy.intake_share and not slow:
        return False, f"the intake has {rows} of {capacity} rows, and a batch waited at most {totals.waited_s:.1f} s"
    if slow:
        what = f"a batch waited {minutes(totals.waited_s)} for its commit"
        limit = f"limit {minutes(policy.commit_wait_s)}, alerts.checks.commit_wait_s"
    else:
        what = f"the intake has {rows} of {capacity} rows ({filled:.0%})"
        limit = f"limit {policy.intake_share:.0%}, alerts.checks.intake_share"
    return True, f"{what} ({limit}); check the disk and the CPU, and see `driftd db info`"


def _dead_letters(totals: IngestTotals, policy: CheckPolicy) -> tuple[bool, str]:
    share = totals.dead_letters / totals.records if totals.records else 0.0
    window = minutes(policy.ingest_window_s)
    what = f"{totals.dead_letters} of {totals.records} records within {window} could not be decoded"
    if totals.dead_letters < policy.ingest_fewest or share < policy.dead_letter_share:
        return False, what
    limit = f"limit {policy.dead_letter_share:.0%}, alerts.checks.dead_letter_share"
    return True, f"{what} ({limit}); see `driftd db dead-letters`"
