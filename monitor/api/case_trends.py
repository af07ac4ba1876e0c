"""The trends of the cases of a set, from its newest runs."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.api import encode_case
from monitor.api.schema.case_histories import CaseTrendItem
from monitor.domain.case_history import HistoryRun, ListedCase
from monitor.domain.evalset import Revision
from monitor.errors import NotFound
from monitor.health.case_trend import case_trends
from monitor.store.engine.database import Tx
from monitor.store.runs import case_history, outcomes
from monitor.store.sets import revisions as evalsets


@dataclass(frozen=True, slots=True, kw_only=True)
class Trends:
    """The cases of a revision by position, and an item for each of them over `runs`, the oldest first."""

    revision: Revision
    runs: Sequence[HistoryRun]
    cases: Sequence[ListedCase]
    items: Sequence[CaseTrendItem]


def trends_of(tx: Tx, set_name: str, *, deployment: str | None, until_run: str | None, most: int) -> Trends:
    """Return the trends of the current revision, or of the revision of `until_run`. Raises NotFound for an unknown set,
    and for a run that is no complete run of the set.
    """
    runs = case_history.newest_runs(tx, set_name, deployment=deployment, until_run=until_run, most=most)
    if until_run is not None and not runs:
        raise NotFound(
            f"run {until_run!r} is no complete run of eval set {set_name!r}; GET /api/v1/runs lists all runs"
        )
    revision = evalsets.find(tx, set_name, runs[-1].revision if until_run is not None else None)
    cases = case_history.listed_cases(tx, set_name, revision.revision)
    answers = case_history.answers(tx, runs, revision.revision, cases)
    newest = {row.case_id: row for row in outcomes.case_results(tx, runs[-1].run_id)} if runs else {}
    found = case_trends(answers, [run.version for run in runs])
    items = [encode_case.trend(case, row, newest.get(case.case_id)) for case, row in zip(cases, found, strict=True)]
    return Trends(revision=revision, runs=runs, cases=cases, items=items)
