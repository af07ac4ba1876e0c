"""The facts about a run's set when the run is judged, and the finding that follows from them."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.baseline import AcceptedBaseline
from monitor.domain.finding import Finding
from monitor.domain.nights import NightRows
from monitor.domain.policy import DriftPolicy
from monitor.domain.run import CaseResult, Run
from monitor.domain.version import Change
from monitor.drift.detect.decision import Decision, decide
from monitor.drift.detect.nightly_history import build_nights
from monitor.drift.imported.conditions import is_imported
from monitor.drift.judge.aa_noise import aa_discordance, discordance_of, same_version_pairs
from monitor.drift.judge.baseline import Baseline, BaselineReason, choose_baseline
from monitor.drift.judge.finding import build_finding
from monitor.drift.judge.pairing import newly_failing
from monitor.jobs.verdict.imported import opening_of_import
from monitor.store.engine.database import Tx
from monitor.store.findings import alerts, baselines, findings
from monitor.store.runs import nights, outcomes, runs
from monitor.store.traffic import versions

NOISE_PAIRS = 5  # same-version pairs of consecutive runs that estimate how often a case flips by itself


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The facts for a decision on the deciding verdict of a set, or on one watched `metric` of it.

    `history` has the complete runs since the baseline began, oldest first. `opening` is the finding that opened the
    alert of the set, and `against` the run that the alert compares with.
    """

    history: list[Run]
    change: Change | None
    opening: Finding | None
    against: str | None
    accepted: AcceptedBaseline | None
    metric: str | None = None


def read_known(tx: Tx, run: Run, metric: str | None = None) -> Known:
    """Return what is known of the set. An accepted baseline is that of the verdict and of all metrics."""
    accepted = baselines.current(tx, run.deployment, run.set_name)
    if metric is None:
        alert = alerts.open_of_set(tx, run.deployment, run.set_name)
    else:
        alert = alerts.open_of_metrics(tx, run.deployment, run.set_name).get(metric)
    history = runs.of_set(tx, run.deployment, run.set_name)
    opening = findings.get(tx, alert.finding_id) if alert else None
    against = alert.baseline_run if alert else None
    if is_imported(run):
        opening = opening_of_import(tx, run, alert, metric)
        against = None if opening is None else opening.baseline_run
    return Known(
        history=[r for r in history if accepted is None or _since(r, accepted)],
        change=versions.get_change(tx, run.change_id) if run.change_id else None,
        opening=opening,
        against=against,
        accepted=accepted,
        metric=metric,
    )


def decide_run(
    tx: Tx,
    run: Run,
    known: Known,
    policy: DriftPolicy,
    *,
    corrected: bool | None = None,
    without: Collection[str] = (),
) -> Decision | None:
    """Return the decision on the run; None when the run is not a night of its set.

    With `corrected`, the decision is on the corrected part of a dynamic set, or on all its other cases. The cases in
    `without` are left out.
    """
    return decide_nights(read_nights(tx, run, known, corrected=corrected, without=without), run, known, policy)


def read_nights(
    tx: Tx, run: Run, known: Known, *, corrected: bool | None = None, without: Collection[str] = ()
) -> NightRows:
    """Return the nights up to the run, as `decide_run` reads them."""
    return nights.of_set(
        tx,
        run.deployment,
        run.set_name,
        until_run=run.id,
        since=known.accepted.counts_from if known.accepted else None,
        corrected=corrected,
        without=without,
        metric=known.metric,
    )


def decide_nights(rows: NightRows, run: Run, known: Known, policy: DriftPolicy) -> Decision | None:
    """Return the decision on the run, the last of these nights; None when it is not one of them."""
    opening = known.opening
    return decide(
        build_nights(rows, policy),
        run.id,
        opening.evidence if opening else None,
        opening.replay.candidate_run if opening else None,
    )


def find(  # noqa: PLR0917 - what is known, in the order in which it became known
    tx: Tx,
    run: Run,
    known: Known,
    decision: Decision | None,
    policy: DriftPolicy,
    finding_id: str,
    now: datetime,
    cases: Collection[str] | None = None,
) -> Finding:
    """Return the finding on the run, on these cases by id if they are given."""
    baseline, metric = _baseline(run, known, decision, policy), known.metric
    compared = [run.id] if baseline is None else [run.id, baseline.run.id]
    found = results_of_runs(tx, compared, cases, metric)
    after, before = found[run.id], found[baseline.run.id] if baseline else []
    failing = newly_failing(before, after)
    return build_finding(
        candidate=run,
        candidate_results=after,
        baseline=baseline,
        baseline_results=before,
        streaks=outcomes.passing_streaks(tx, run.deployment, run.set_name, run.id, metric, cases=failing),
        aa_discordance=_noise(tx, known, cases),
        policy=policy,
        change=known.change,
        finding_id=finding_id,
        now=now,
        decision=decision,
    )


def _baseline(run: Run, known: Known, decision: Decision | None, policy: DriftPolicy) -> Baseline | None:
    """Return the baseline run: of an open alert its own; of a new alarm the last run before its onset; otherwise that
    of a two-run comparison.
    """
    chosen = choose_baseline(
        run, known.history, known.against, change=known.change, min_scored_share=policy.min_scored_share
    )
    last = decision.evidence.baseline_last_run if decision is not None and decision.reported is not None else None
    if chosen is None or chosen.why is BaselineReason.OPEN_ALERT or last is None:
        return chosen
    before = next((r for r in known.history if r.id == last and r.id != run.id), None)
    return chosen if before is None else Baseline(run=before, why=BaselineReason.BEFORE_ONSET)


def _since(run: Run, accepted: AcceptedBaseline) -> bool:
    return run.finished_at is not None and run.finished_at >= accepted.counts_from


def _noise(tx: Tx, known: Known, cases: Collection[str] | None) -> float | None:
    """Return how often a case changes its verdict between two nights of one version."""
    pairs, metric = same_version_pairs(known.history, NOISE_PAIRS), known.metric
    if metric is None:
        return discordance_of(*outcomes.flips(tx, [(a.id, b.id) for a, b in pairs], cases))
    return aa_discordance(
        [(results_of(tx, a.id, cases, metric), results_of(tx, b.id, cases, metric)) for a, b in pairs]
    )


def results_of(
    tx: Tx, run_id: str, cases: Collection[str] | None = None, metric: str | None = None
) -> list[CaseResult]:
    """Return the results of the run by its verdicts or by a metric, of these cases by id if they are given."""
    return results_of_runs(tx, [run_id], cases, metric)[run_id]


def results_of_runs(
    tx: Tx, run_ids: Sequence[str], cases: Collection[str] | None, metric: str | None
) -> dict[str, list[CaseResult]]:
    """Return the same of each of these runs."""
    found = outcomes.case_results_of(tx, run_ids, metric)
    if cases is None:
        return found
    return {run_id: [row for row in rows if row.case_id in cases] for run_id, rows in found.items()}
