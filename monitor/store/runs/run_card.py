"""The counts of a run card: passed cases by category, and failed cases by failure category."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.store.engine.transaction import Row, Tx


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryCount:
    """The cases of one category: how many had a verdict, and how many passed."""

    category: str
    scored: int
    passed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCount:
    """Failed cases by failure category."""

    failure_category: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartCount:
    """The cases of one part in one run: how many there are, how many had a verdict, and how many passed."""

    part: str
    cases: int
    scored: int
    passed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunBreakdown:
    """`outcomes` counts answered samples, all others cases. `cost_usd` is None when no reply reported its price."""

    outcomes: int
    scored: int
    passed: int
    categories: list[CategoryCount]
    failure_categories: list[FailureCount]
    parts: list[PartCount]
    cost_usd: float | None


def breakdown(tx: Tx, run_ids: Sequence[str]) -> dict[str, RunBreakdown]:
    """Return an entry for every requested run, with zeros when nothing was scored."""
    requested = list(dict.fromkeys(run_ids))
    counts: dict[str, list[Row]] = {run_id: [] for run_id in requested}
    for row in tx.query("run_counts", run_ids=requested):
        counts[row["run_id"]].append(row)
    outcomes = {row["run_id"]: row for row in tx.query("outcome_counts", run_ids=requested)}
    return {run_id: _breakdown(counts[run_id], outcomes.get(run_id)) for run_id in requested}


def _breakdown(counts: Sequence[Row], outcomes: Row | None) -> RunBreakdown:
    categories = [CategoryCount(category=name, **_sums(rows)) for name, rows in _by("category", counts)]
    failures = [
        FailureCount(failure_category=name, count=_sum("cases", rows)) for name, rows in _by("failure_category", counts)
    ]
    parts = [PartCount(part=name, cases=_sum("cases", rows), **_sums(rows)) for name, rows in _by("part", counts)]
    return RunBreakdown(
        outcomes=outcomes["outcomes"] if outcomes else 0,
        scored=sum(each.scored for each in categories),
        passed=sum(each.passed for each in categories),
        categories=categories,
        failure_categories=sorted(failures, key=lambda each: -each.count),
        parts=parts[::-1],  # the sampled part first
        cost_usd=outcomes["cost_usd"] if outcomes else None,
    )


def _by(column: str, rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Return the rows of each value of a column in the order of the values. Rows without a value are left out."""
    grouped: dict[str, list[Row]] = {}
    for row in rows:
        if row[column] is not None:
            grouped.setdefault(row[column], []).append(row)
    return sorted(grouped.items())


def _sums(rows: Sequence[Row]) -> dict[str, int]:
    return {"scored": _sum("scored", rows), "passed": _sum("passed", rows)}


def _sum(column: str, rows: Sequence[Row]) -> int:
    return sum(row[column] for row in rows)


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
    """Failed cases of one category and severity with one failure category."""

    failure_category: str
    category: str
    severity: str
    cases: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseSamples:
    """The samples of one case: how many had a verdict, and how many passed."""

    case_id: str
    scored: int
    passed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFinding:
    """The finding of a run, in short."""

    id: str
    metric: str | None
    verdict: str
    severity: str
    reason: str


def strata(tx: Tx, run_id: str) -> tuple[list[Stratum], list[StratumFailures]]:
    """Return the cases of each category and severity, and the failed ones, the most frequent failure category first."""
    rows = tx.query("card_strata", run_id=run_id)
    found: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        found.setdefault((row["category"], row["severity"]), []).append(row)
    cases = [
        Stratum(category=category, severity=severity, cases=_sum("cases", rows), **_sums(rows))
        for (category, severity), rows in sorted(found.items())
    ]
    failed = [
        StratumFailures(
            failure_category=row["failure"],
            category=row["category"],
            severity=row["severity"],
            cases=row["cases"],
        )
        for row in rows
        if row["failure"] is not None
    ]
    return cases, sorted(failed, key=lambda each: (-each.cases, each.failure_category, each.category, each.severity))


def case_samples(tx: Tx, run_id: str) -> list[CaseSamples]:
    return [CaseSamples(**row) for row in tx.query("card_samples", run_id=run_id)]


def findings(tx: Tx, run_id: str) -> list[RunFinding]:
    """Return the findings of the run, the oldest first."""
    return [RunFinding(**row) for row in tx.query("card_findings", run_id=run_id)]
