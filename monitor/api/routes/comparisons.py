"""Comparison of any two runs of a set."""

from fastapi import APIRouter

from monitor.api import encode_finding
from monitor.api.access import needs
from monitor.api.auth import Role
from monitor.api.clusters import clustered_comparison
from monitor.api.context import Context
from monitor.api.lookup import MetricName, drift_of
from monitor.api.problems import Unprocessable
from monitor.api.schema import ComparisonItem
from monitor.api.two_runs import RunId, two_runs
from monitor.domain.run import Run
from monitor.drift.imported.notes import notes_of_comparison
from monitor.drift.judge.aa_noise import aa_discordance, discordance_of, same_version_pairs
from monitor.drift.judge.compare import compare_runs
from monitor.drift.judge.pairing import newly_failing, pair_cases
from monitor.store.runs import outcomes, runs
from monitor.store.sets import revisions

router = APIRouter(prefix="/api/v1/comparisons", tags=["comparisons"])


@router.get("", **needs(Role.READ))
def compare(context: Context, baseline: RunId, candidate: RunId, metric: MetricName = None) -> ComparisonItem:
    """Compare two complete runs on the cases that are scored in both, by their verdicts or by one metric. Nothing is
    stored.
    """
    with context.store.read() as tx:
        before, after = two_runs(tx, baseline, candidate)
        alpha = drift_of(context.policy, after.deployment).alpha_change
        earlier = [run for run in runs.of_set(tx, after.deployment, after.set_name) if _ended_before(run, after)]
        noise = same_version_pairs(earlier)
        asked = [before.id, after.id, *(run.id for pair in noise for run in pair if metric is not None)]
        results = outcomes.case_results_of(tx, dict.fromkeys(asked), metric)
        discordance = (
            discordance_of(*outcomes.flips(tx, [(a.id, b.id) for a, b in noise]))
            if metric is None
            else aa_discordance([(results[a.id], results[b.id]) for a, b in noise])
        )
        comparison = compare_runs(
            results[before.id],
            results[after.id],
            streaks=outcomes.passing_streaks(
                tx,
                after.deployment,
                after.set_name,
                after.id,
                metric,
                cases=newly_failing(results[before.id], results[after.id]),
            ),
            aa_discordance=discordance,
            alpha=alpha,
        )
        pairs = pair_cases(results[before.id], results[after.id])
        clusters = revisions.clusters(tx, after.set_name, after.revision)
    if comparison is None:
        by = "" if metric is None else f" with metric {metric!r}"
        raise Unprocessable(f"runs {before.id!r} and {after.id!r} have no common scored case{by}; nothing to compare")
    item = encode_finding.comparison(comparison).model_copy(update={"notes": list(notes_of_comparison(before, after))})
    return clustered_comparison(item, pairs, clusters, alpha)


def _ended_before(other: Run, run: Run) -> bool:
    if other.finished_at is None or run.finished_at is None:
        return False
    return (other.finished_at, other.id) < (run.finished_at, run.id)
