"""The verdicts of one case as a grid: one column a run, one row an answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import altair as alt

from dashboards.charts.axes import order_axis, rows
from dashboards.charts.changes import Marker, change_rules
from dashboards.charts.layers import LayeredChart
from dashboards.palette import colours

CHOSEN = "chosen"  # the name of the selection of a cell
ROW_PX = 32
AXIS_PX = 48  # the labels and the title of the x axis
FREE = ""  # the empty first row, for the labels of the changes
HALF = 0.47  # of the width of a column
FEW = 30  # up to this many columns, each cell has a mark that is readable without colour
MARKS = {"pass": "\u2713", "fail": "\u2715", "no score": "\u2013", "other content": ""}

Verdict = Literal["pass", "fail", "no score", "other content"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One answer of one run. `order` is the column, `answer` the name of the row."""

    order: int
    answer: str
    verdict: Verdict
    run: str
    when: str
    version: str
    detail: str


def palette() -> dict[str, str]:
    """Return the colour of each verdict."""
    theme = colours()
    return {"pass": theme.series[0], "fail": theme.series[1], "no score": theme.neutral, "other content": theme.grid}


def verdict_grid(cells: Sequence[Cell], labels: Sequence[str], markers: Sequence[Marker]) -> LayeredChart:
    """Return the chart. `labels` are the times of the columns. The selection `chosen` has the field `run`."""
    answers = list(dict.fromkeys(cell.answer for cell in cells))
    shades = palette()
    x = order_axis(labels, 6).title("run, oldest first")
    y = alt.Y(
        "answer:N",
        title="answer",
        scale=alt.Scale(type="band", domain=[FREE, *answers], padding=0.06),
        axis=alt.Axis(ticks=False, domain=False, labelLimit=70),
    )
    chosen = alt.selection_point(name=CHOSEN, fields=["run"], on="click")
    places = [{**_row(cell), "order": cell.order - HALF, "end": cell.order + HALF} for cell in cells]
    tiles = (
        alt.Chart(rows(places))
        .mark_rect(cursor="pointer", cornerRadius=2)
        .encode(
            x=x,
            x2=alt.X2("end:Q"),
            y=y,
            color=alt.Color(
                "verdict:N", scale=alt.Scale(domain=list(shades), range=list(shades.values())), legend=None
            ),
            opacity=alt.condition(chosen, alt.value(0.9), alt.value(0.45)),
            tooltip=[alt.Tooltip(f"{name}:N") for name in ("verdict", "answer", "when", "version", "detail", "run")],
        )
        .add_params(chosen)
    )
    marks = (
        alt.Chart(rows([_row(cell) for cell in cells]))
        .mark_text(color="white", fontSize=13, fontWeight=700, tooltip=None)
        .encode(x=x, y=y, text=alt.Text("mark:N"))
    )
    shown = [tiles, *([marks] if len(labels) <= FEW else []), *change_rules(markers, x)]
    return LayeredChart(shown, ROW_PX * (len(answers) + 1) + AXIS_PX)


def _row(cell: Cell) -> dict[str, object]:
    return {
        "order": cell.order,
        "answer": cell.answer,
        "verdict": cell.verdict,
        "mark": MARKS[cell.verdict],
        "run": cell.run,
        "when": cell.when,
        "version": cell.version,
        "detail": cell.detail,
    }
