"""The data of set health: scores of the cases over all runs, questions of production, and corrections."""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from monitor.store.engine.arrays import flags, floats, numbers
from monitor.store.engine.transaction import Tx

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunScores:
    """`scores` [runs, cases] in time order, NaN where a run did not score the case; `passed` [runs, cases] is whether
    the case passed there; `versions` and `finished_at` [runs].

    A run whose replies did not report a version has the version None.
    """

    scores: Floats
    passed: Flags
    versions: tuple[str | None, ...]
    finished_at: tuple[datetime, ...]

    def before(self, until: datetime) -> "RunScores":
        """Return the runs that ended before `until`."""
        number = bisect_left(self.finished_at, until)
        return RunScores(
            scores=self.scores[:number],
            passed=self.passed[:number],
            versions=self.versions[:number],
            finished_at=self.finished_at[:number],
        )

    def by_version(self) -> tuple[Floats, Counts, Counts]:
        """Return means, passes and run counts, each [versions, cases], of the runs with a version."""
        names = sorted({version for version in self.versions if version is not None})
        shape = (len(names), self.scores.shape[1])
        means, passes, counts = np.full(shape, np.nan), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
        for number, name in enumerate(names):
            of_version = [version == name for version in self.versions]
            rows = self.scores[of_version]
            known = ~np.isnan(rows)
            counts[number] = known.sum(axis=0)
            passes[number] = (known & self.passed[of_version]).sum(axis=0)
            total = np.where(known, rows, 0.0).sum(axis=0)
            means[number] = np.where(counts[number] > 0, total / np.maximum(counts[number], 1), np.nan)
        return means, passes, counts


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionInput:
    """The question of one production call, and its category if the application sent one."""

    text: str
    category: str | None
    started_at: datetime


def run_scores(
    tx: Tx, set_name: str, revision: str, cases: int, deployments: Sequence[str], *, until: datetime | None = None
) -> RunScores:
    """Return the scores of every complete run of the set, for the cases that the revision contains. `until` leaves out
    runs that ended at that time or later.
    """
    params = {"name": set_name, "deployments": list(deployments), "until": until}
    runs = tx.query("complete_runs_of_users", **params)
    table = tx.table("scores_of_content", revision=revision, **params)
    scores = np.full((len(runs), cases), np.nan)
    passed = np.zeros(scores.shape, np.bool_)
    cells = numbers(table["number"]), numbers(table["position"])
    scores[cells] = floats(table["value"])
    passed[cells] = flags(table["passed"])
    scored = ~np.isnan(scores).all(axis=1)
    kept = [run for run, has_score in zip(runs, scored, strict=True) if has_score]
    return RunScores(
        scores=scores[scored],
        passed=passed[scored],
        versions=tuple(run["version"] for run in kept),
        finished_at=tuple(run["finished_at"] for run in kept),
    )


def production_inputs(
    tx: Tx, deployments: Sequence[str], since: datetime, most: int, until: datetime | None = None
) -> list[ProductionInput]:
    """Return a random sample of the questions of production in [since, until); without `until`, of all since then."""
    rows = tx.query("production_inputs", deployments=list(deployments), since=since, until=until, most=most)
    return [
        ProductionInput(text=row["input_text"], category=row["category"], started_at=row["started_at"]) for row in rows
    ]


def corrected(tx: Tx, deployments: Sequence[str], since: datetime, until: datetime) -> tuple[int, int]:
    """Return the number of production calls that started in [since, until), and how many of them were corrected."""
    row = tx.one("corrected_between", deployments=list(deployments), since=since, until=until)
    return (row["calls"], row["corrected"]) if row else (0, 0)
