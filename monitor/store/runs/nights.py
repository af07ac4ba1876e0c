"""The nights of a set as columns, for drift detection."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from monitor.domain.baseline import Pin
from monitor.domain.nights import Cells, Failures, Floats, Night, NightRows, Whole
from monitor.domain.run import Run, SampleResult
from monitor.store.engine.arrays import flags, floats, numbers
from monitor.store.engine.transaction import Row, Tx

MAX_NIGHTS = 400  # one year of nights, and some replays after changes


def of_set(
    tx: Tx,
    deployment: str,
    set_name: str,
    *,
    until_run: str | None,
    since: datetime | None,
    corrected: bool | None = None,
    without: Collection[str] = (),
    metric: str | None = None,
) -> NightRows:
    """Return the newest complete runs that finished at or after `since`, up to `until_run` inclusive (None: all).

    With `corrected`, the nights have only the corrected part of a dynamic set, or all its other cases. The cases with
    an id in `without` are left out. With `metric`, the nights have the scores of that metric and not the verdicts, and
    the runs that were not scored by it are left out, which may include `until_run`.
    """
    rows = runs_of_set(tx, deployment, set_name, until_run=until_run, since=since)
    return _of_runs(tx, deployment, set_name, rows, corrected=corrected, without=without, metric=metric)


def runs_of_set(
    tx: Tx, deployment: str, set_name: str, *, since: datetime | None, until_run: str | None = None
) -> list[Row]:
    """Return the runs of the nights of `of_set`, the oldest first."""
    return tx.query(
        "night_runs", deployment=deployment, set_name=set_name, until_run=until_run, since=since, most=MAX_NIGHTS
    )


def of_runs(tx: Tx, deployment: str, set_name: str, runs: Sequence[Run], *, metric: str | None = None) -> NightRows:
    """Return these complete runs of the set as nights, in their order; `metric` as above."""
    rows = [
        {
            "run_id": run.id,
            "at": run.finished_at,
            "version": run.version,
            "revision": run.revision,
            "cases": run.expected_cases,
            "change_id": run.change_id,
        }
        for run in runs
    ]
    return _of_runs(tx, deployment, set_name, rows, metric=metric)


def of_pinned(tx: Tx, pin: Pin, *, until_run: str, metric: str | None = None) -> NightRows:
    """Return the pinned nights, and the newest nights after them up to and including `until_run`; `metric` as above."""
    rows = tx.query(
        "pinned_nights",
        deployment=pin.deployment,
        set_name=pin.set_name,
        until_run=until_run,
        counts_from=pin.counts_from,
        counts_to=pin.counts_to,
        most=MAX_NIGHTS,
    )
    return _of_runs(tx, pin.deployment, pin.set_name, rows, metric=metric)


def with_open_run(tx: Tx, run: Run, *, cases: int, at: datetime, since: datetime | None) -> NightRows:
    """Return the newest complete runs that finished at or after `since`, then what a running run has answered of
    `cases` cases so far.
    """
    complete = runs_of_set(tx, run.deployment, run.set_name, since=since)
    tonight = {"run_id": run.id, "at": at, "version": run.version, "revision": run.revision}
    rows = [*complete, {**tonight, "cases": cases, "change_id": run.change_id}]
    return _of_runs(tx, run.deployment, run.set_name, rows)


def _of_runs(
    tx: Tx,
    deployment: str,
    set_name: str,
    rows: Sequence[Row],
    *,
    corrected: bool | None = None,
    without: Collection[str] = (),
    metric: str | None = None,
) -> NightRows:
    judges = _judges(tx, [row["run_id"] for row in rows], metric)
    rows = rows if metric is None else [row for row in rows if row["run_id"] in judges]
    runs = [row["run_id"] for row in rows]
    cases = tx.table("night_cases", runs=runs, corrected=corrected)
    if without:
        cases = cases.filter(pa.array([case_id not in without for case_id in cases["case_id"].to_pylist()], pa.bool_()))
    numbered = cases.append_column("number", pa.array(np.arange(cases.num_rows), pa.int64()))
    if corrected is not None:
        rows = _with_sizes(tx, set_name, rows, numbered)
    samples = (
        tx.table("night_samples", runs=runs, batch=numbered)
        if metric is None
        else tx.table("night_samples_of_metric", runs=runs, metric=metric, batch=numbered)
    )
    summed = _Samples.of(samples)
    shape = (len(runs), cases.num_rows)
    return NightRows(
        deployment=deployment,
        set_name=set_name,
        nights=tuple(Night(**row, judge=judges.get(row["run_id"], "")) for row in rows),
        categories=tuple(cases["category"].to_pylist()),
        case_ids=tuple(cases["case_id"].to_pylist()),
        cells=summed.cells(shape, repeated=False),
        repeats=summed.cells(shape, repeated=True),
        failures=summed.failures(shape),
    )


def _with_sizes(tx: Tx, set_name: str, rows: Sequence[Row], cases: pa.Table) -> list[Row]:
    """Return the nights with the number of cases of the part in their revisions, in place of that of the set."""
    revisions = sorted({row["revision"] for row in rows})
    found = tx.query("night_part_sizes", set_name=set_name, revisions=revisions, batch=cases)
    sizes = {row["revision"]: row["cases"] for row in found}
    return [row | {"cases": min(row["cases"], sizes.get(row["revision"], 0))} for row in rows]


def samples_of(tx: Tx, run_ids: Sequence[str], metric: str | None = None) -> list[SampleResult]:
    """Return the verdict of every scored sample of these runs, or its score of one metric, in the order of the runs."""
    return [SampleResult(**row) for row in tx.query("sample_results", runs=list(run_ids), metric=metric)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Samples:
    """The scored samples of some nights, one entry each. `failure` is an index into `names`, -1 for none."""

    night: Whole
    case: Whole
    repeated: NDArray[np.bool_]
    value: Floats
    failure: Whole
    names: tuple[str, ...]

    @classmethod
    def of(cls, table: pa.Table) -> "_Samples":
        failure = table["failure_category"].combine_chunks().dictionary_encode()
        return cls(
            night=numbers(table["night"]),
            case=numbers(table["case"]),
            repeated=flags(table["repeated"]),
            value=floats(table["value"]),
            failure=numbers(pa.chunked_array([failure.indices.cast(pa.int64()).fill_null(-1)])),
            names=tuple(failure.dictionary.to_pylist()),
        )

    def cells(self, shape: tuple[int, int], *, repeated: bool) -> Cells:
        """Return the sums of each case and night, `shape` of them, over its samples, or over its repeats."""
        chosen = self.repeated if repeated else ~self.repeated
        place, value = self.night[chosen] * shape[1] + self.case[chosen], self.value[chosen]
        count = np.bincount(place, minlength=shape[0] * shape[1])
        scored = np.flatnonzero(count)
        binary = bool(np.all((value == 0.0) | (value == 1.0)))  # then all powers are equal
        sums = [
            np.bincount(place, weights=value**power, minlength=count.size)[scored].astype(np.float64)
            for power in ((1,) if binary else (1, 2, 3))
        ]
        first, second, third = sums * 3 if binary else sums
        return Cells(
            night=scored // max(shape[1], 1),
            case=scored % max(shape[1], 1),
            count=count[scored].astype(np.float64),
            first=first,
            second=second,
            third=third,
        )

    def failures(self, shape: tuple[int, int]) -> Failures:
        """Return the failed samples of each case and night, `shape` of them, by failure category."""
        failed = (self.failure >= 0) & ~self.repeated
        place = (self.failure[failed] * shape[0] + self.night[failed]) * shape[1] + self.case[failed]
        found, count = np.unique(place, return_counts=True)
        name, cell = np.divmod(found, max(shape[0] * shape[1], 1))
        night, case = np.divmod(cell, max(shape[1], 1))
        return Failures(night=night, case=case, name=tuple(self.names[n] for n in name), count=count.astype(np.float64))


def judges_of(tx: Tx, run_ids: Sequence[str], metric: str | None = None) -> frozenset[str]:
    """Return the deciding scorers of these runs with their versions, or the versions of one metric, in the form of
    `Night.judge`.
    """
    return frozenset(_judges(tx, run_ids, metric).values())


def scorers_of(tx: Tx, run_ids: Sequence[str], metric: str | None = None) -> dict[str, str]:
    """Return the same for each run; a run without a score, or without the metric, is absent."""
    return _judges(tx, run_ids, metric)


def _judges(tx: Tx, run_ids: Sequence[str], metric: str | None) -> dict[str, str]:
    rows = tx.query("night_judges", runs=list(run_ids), metric=metric)
    return {row["run_id"]: row["judge"] for row in rows}
