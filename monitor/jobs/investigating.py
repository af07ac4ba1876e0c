"""What made the drop of an alarm: the steps that are possible, in the order in which they tell most for their cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.cause import Cause, RankedCause, TriedStep, UntriedStep
from monitor.domain.evidence import Evidence
from monitor.domain.finding import Comparison
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import Run
from monitor.domain.version import Change
from monitor.drift.attribution import RankedCauses, investigate
from monitor.drift.conditions import Conditions, compare_conditions
from monitor.drift.counterfactual import Cost
from monitor.drift.sides import channel_of, sides_of
from monitor.drift.suspects import Suspect
from monitor.jobs.cause_steps import Asks, CauseSteps
from monitor.store import nights, versions
from monitor.store.database import Store, Tx

NIGHTS = 14  # newest nights of each side that are looked at


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """What is to be explained: the run that raised it, the complete runs of its set, oldest first, and its evidence."""

    run: Run
    history: Sequence[Run]
    evidence: Evidence
    comparison: Comparison | None
    baseline_run: str | None


def investigate_alarm(store: Store, asks: Asks, alarm: Alarm, policy: DriftPolicy) -> Cause | None:
    """None where no night before the onset is kept."""
    before, after = _sides(alarm)
    if not before or not after:
        return None
    with store.read() as tx:
        then = nights.samples_of(tx, [run.id for run in before])
        now = nights.samples_of(tx, [run.id for run in after])
        conditions = _conditions(tx, before, after)
    steps = CauseSteps(
        run=alarm.run,
        sides=sides_of(then, now, channel_of(alarm.evidence, alarm.comparison)),
        outputs=then,
        evidence=conditions.evidence,
        rejudge=asks.rejudge_of(alarm.run.set_name),
        arm=asks.arm_of(alarm.run, before),
    )
    budget = Cost(calls=policy.attribution_calls, usd=policy.attribution_usd)
    found = investigate(conditions.evidence, steps.offered(budget), budget, steps.take)
    return _told(found, conditions, steps)


def _sides(alarm: Alarm) -> tuple[list[Run], list[Run]]:
    """The nights of the baseline, and those from the onset on; without an onset the two runs that were compared."""
    evidence, order = alarm.evidence, {run.id: n for n, run in enumerate(alarm.history)}
    first, last = order.get(evidence.baseline_first_run or ""), order.get(evidence.baseline_last_run or "")
    onset, judged = order.get(evidence.onset_run or ""), order.get(alarm.run.id)
    if evidence.onset_run is None or None in {first, last, onset}:
        return [run for run in alarm.history if run.id == alarm.baseline_run], [alarm.run]
    before = alarm.history[first : last + 1]  # type: ignore[operator]  # None was looked for above
    after = alarm.history[onset : judged + 1 if judged is not None else None]
    return list(before[-NIGHTS:]), list(after[-NIGHTS:])


def _conditions(tx: Tx, before: Sequence[Run], after: Sequence[Run]) -> Conditions:
    found = (versions.get_change(tx, run.change_id) for run in after if run.change_id is not None)
    changes: list[Change] = [change for change in found if change is not None]
    return compare_conditions(
        before,
        after,
        judge_before=nights.judges_of(tx, [run.id for run in before]),
        judge_after=nights.judges_of(tx, [run.id for run in after]),
        changes=changes,
    )


def _told(found: RankedCauses, conditions: Conditions, steps: CauseSteps) -> Cause:
    return Cause(
        named=None if found.named is None else tuple(each.value for each in Suspect if each in found.named),
        probability=found.probability,
        why=found.why,
        differs=conditions.differs,
        causes=tuple(
            RankedCause(suspect=row.suspect.value if row.suspect else None, probability=row.probability)
            for row in found.causes
        ),
        tried=tuple(
            TriedStep(
                step=row.kind.value,
                showing=row.showing.value,
                says=steps.said[row.kind],
                bits=row.bits,
                calls=row.cost.calls,
                usd=row.cost.usd,
            )
            for row in found.tried
        ),
        not_tried=tuple(UntriedStep(step=row.kind.value, why=row.why) for row in found.not_tried),
        calls=found.spent.calls,
        usd=found.spent.usd,
    )
