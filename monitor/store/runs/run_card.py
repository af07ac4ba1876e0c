"""What a run card tells beyond its run: which kinds of cases passed, and how the others failed."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.store.engine.transaction import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCount:
    """Cases of one category: how many had a verdict, how many passed."""

    category: str
    scored: int
    passed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """Failed cases by failure category."""

    failure_category: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBreakdown:
    """`outcomes` counts answered samples, everything else cases; `cost_usd` is None when no reply told its price."""

    outcomes: int
    scored: int
    passed: int
    categories: list[CategoryCount]
    failure_categories: list[FailureCount]
    cost_usd: float | None


def breakdown(tx: Tx, run_ids: Sequence[str]) -> dict[str, RunBreakdown]:
    """Every run that was asked for is in the answer, with zeros when nothing was scored."""
    asked = list(dict.fromkeys(run_ids))
    categories = _by_run(tx.query("category_counts", run_ids=asked))
    failures = _by_run(tx.query("failure_counts", run_ids=asked))
    outcomes = {row["run_id"]: row for row in tx.query("outcome_counts", run_ids=asked)}
    return {
        run_id: _breakdown(categories.get(run_id, []), failures.get(run_id, []), outcomes.get(run_id))
        for run_id in asked
    }


def _by_run(rows: Sequence[Row]) -> dict[str, list[Row]]:
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        grouped.setdefault(row.pop("run_id"), []).append(row)
    return grouped


def _breakdown(categories: Sequence[Row], failures: Sequence[Row], outcomes: Row | None) -> RunBreakdown:
    return RunBreakdown(
        outcomes=outcomes["outcomes"] if outcomes else 0,
        scored=sum(row["scored"] for row in categories),
        passed=sum(row["passed"] for row in categories),
        categories=[CategoryCount(**row) for row in categories],
        failure_categories=[FailureCount(**row) for row in failures],
        cost_usd=outcomes["cost_usd"] if outcomes else None,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Stratum:
    """The cases of one category and severity."""

    category: str
    severity: str
    cases: int
    scored: int
    passed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StratumFailures:
    """Failed cases of one category and severity that failed in one way."""

    failure_category: str
    category: str
    severity: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinding:
    """What was concluded of the run, in short."""

    id: str
    verdict: str
    severity: str
    reason: str


def strata(tx: Tx, run_id: str) -> list[Stratum]:
    return [Stratum(**row) for row in tx.query("card_strata", run_id=run_id)]


def failures(tx: Tx, run_id: str) -> list[StratumFailures]:
    """The most frequent first."""
    return [StratumFailures(**row) for row in tx.query("card_failures", run_id=run_id)]


def findings(tx: Tx, run_id: str) -> list[RunFinding]:
    """The first one first."""
    return [RunFinding(**row) for row in tx.query("card_findings", run_id=run_id)]
