"""Finds the cause of the regression of an alarm, with the possible experiments in the order of information for their
cost.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.domain.evidence import Cause, Evidence, RankedCause, TriedStep, UntriedStep
from monitor.domain.finding import Comparison
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import Run
from monitor.domain.version import Change
from monitor.drift.cause.attribution import LEFT_OPEN, RankedCauses, investigate
from monitor.drift.cause.before_after import split_samples
from monitor.drift.cause.experiments import Cost
from monitor.drift.cause.prior import Suspect
from monitor.drift.cause.recorded_conditions import Conditions, compare_conditions
from monitor.drift.cause.regression_window import find_regression_window
from monitor.drift.cause.statement import state_cause
from monitor.jobs.verdict.experiments import CauseSteps, InvestigationDependencies
from monitor.store.engine.database import Store, Tx
from monitor.store.runs import nights, runs
from monitor.store.traffic import versions


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """The alarm to explain: the run that raised it, and the evidence of its finding."""

    run: Run
    evidence: Evidence
    comparison: Comparison | None
    baseline_run: str | None


def investigate_alarm(
    store: Store, dependencies: InvestigationDependencies, alarm: Alarm, policy: DriftPolicy
) -> Cause | None:
    """Return the cause; None when the finding has no regression, or when no night before it is stored."""
    run = alarm.run
    with store.read() as tx:
        history = runs.of_set(tx, run.deployment, run.set_name)
        drop = find_regression_window(run, history, alarm.evidence, alarm.comparison, alarm.baseline_run)
        if drop is None:
            return None
        then = nights.samples_of(tx, [each.id for each in drop.before])
        now = nights.samples_of(tx, [each.id for each in drop.after])
        conditions = _conditions(tx, drop.before, drop.after)
    steps = CauseSteps(
        run=run,
        samples=split_samples(then, now, drop.channel),
        outputs=then,
        evidence=conditions.evidence,
        rejudge=dependencies.rejudge_of(run.set_name),
        arm=dependencies.arm_of(run, drop.before),
    )
    budget = Cost(calls=policy.attribution_calls, usd=policy.attribution_usd)
    found = investigate(conditions.evidence, steps.offered(budget), budget, steps.take)
    return _text(found, conditions, steps)


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


def _text(found: RankedCauses, conditions: Conditions, steps: CauseSteps) -> Cause:
    stated = state_cause(found, conditions.evidence, conditions.differences)
    measured = stated.confirmed or stated.replayed
    return Cause(
        named=None if found.named is None else tuple(each.value for each in Suspect if each in found.named),
        probability=found.probability if stated.confirmed or (found.named is None and stated.replayed) else None,
        confirmed=stated.confirmed,
        statement=stated.text,
        why=found.why,
        differences=conditions.differences,
        causes=tuple(
            RankedCause(
                suspect=row.suspect.value if row.suspect else None, probability=row.probability if measured else None
            )
            for row in found.causes
            if measured or row.probability >= LEFT_OPEN
        ),
        tried=tuple(
            TriedStep(
                step=row.kind.value,
                result=row.result.value,
                detail=steps.details[row.kind],
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
