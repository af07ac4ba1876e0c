"""The cells, the columns and the changes of version of a case. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from dashboards.charts.changes import Marker
from dashboards.charts.verdict_grid import Cell, Verdict
from dashboards.markers import tag
from dashboards.times import axis_labels, moment
from monitor.api.schema.case_histories import CaseAnswerItem, CaseRunItem


def cells_of(runs: Sequence[CaseRunItem]) -> list[Cell]:
    """Return a cell for each answer. A run that did not answer the case has none, so its column is empty."""
    found = [_cell(order, run, answer) for order, run in enumerate(runs) for answer in run.answers]
    return sorted(found, key=lambda cell: (_row_order(cell.answer), cell.order))


def columns_of(runs: Sequence[CaseRunItem]) -> list[str]:
    return axis_labels([run.at for run in runs])


def version_of(run: CaseRunItem) -> str:
    return run.version_label or run.version or "unknown version"


def changes_of_version(runs: Sequence[CaseRunItem]) -> list[tuple[int, str, str]]:
    """Return the column of each run with another version than the run before it, and both versions."""
    pairs = enumerate(pairwise(runs), start=1)
    return [
        (order, version_of(before), version_of(run)) for order, (before, run) in pairs if before.version != run.version
    ]


def markers_of(runs: Sequence[CaseRunItem]) -> list[Marker]:
    """Return a marker before the first run of each version, labelled A, B and so on."""
    return [
        Marker(
            label=tag(number),
            detail=f"{before} → {after}, {moment(runs[order].at)}",
            share=order / len(runs),
            order=order - 0.5,
        )
        for number, (order, before, after) in enumerate(changes_of_version(runs))
    ]


def _cell(order: int, run: CaseRunItem, answer: CaseAnswerItem) -> Cell:
    return Cell(
        order=order,
        answer=_name(answer),
        verdict=_verdict(run, answer),
        run=run.run_id,
        when=moment(run.at),
        version=version_of(run),
        detail="" if answer.failure_category == "none" else answer.failure_category,
    )


def _name(answer: CaseAnswerItem) -> str:
    return "repeat" if answer.kind == "repeat" else f"{answer.kind} {answer.sample + 1}"


def _row_order(name: str) -> tuple[int, int]:
    """Return the place of a row: samples, then the repeat, then fresh samples."""
    kind, _, number = name.partition(" ")
    return ("sample", "repeat", "fresh").index(kind), int(number or 0)


def _verdict(run: CaseRunItem, answer: CaseAnswerItem) -> Verdict:
    if not run.same_content:
        return "other content"
    if answer.passed is None:
        return "no score"
    return "pass" if answer.passed else "fail"
