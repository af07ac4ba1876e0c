"""Version changes as labelled vertical rules."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from dashboards.charts.axes import rows
from dashboards.formatting import cut
from dashboards.palette import colours

LEVELS = 2  # neighbouring changes have labels at different heights
LINE_PX = 15
LABEL_CHARS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """One change: its position among the slots (`order`), and the same as a share of the width (`share`, 0 to 1)."""

    label: str
    detail: str
    share: float
    order: float


def change_rules(markers: Sequence[Marker], x: alt.X) -> list[alt.Chart]:
    """Return a dashed rule and a label for each change. Labels in the right half extend to the left, so they fit."""
    if not markers:
        return []
    values = rows([_row(index, marker) for index, marker in enumerate(markers)])
    tooltip = alt.Tooltip("detail:N", title="change")
    rule = alt.Chart(values).mark_rule(strokeDash=[5, 4], color=colours().ink, strokeWidth=1.3)
    return [rule.encode(x=x, tooltip=[tooltip]), _labels(values, x)]


def _row(index: int, marker: Marker) -> dict[str, object]:
    return {
        "order": marker.order,
        "label": cut(marker.label, LABEL_CHARS),
        "detail": marker.detail,
        "top": 2 + LINE_PX * (index % LEVELS),
        "align": "right" if marker.share > 0.5 else "left",
    }


def _labels(values: alt.InlineData, x: alt.X) -> alt.Chart:
    """Return the labels as one layer: a browser needs as long for a layer as for its marks."""
    mark = alt.MarkDef(
        type="text",
        align=alt.ExprRef("datum.align"),
        dx=alt.ExprRef("datum.align == 'right' ? -6 : 6"),
        baseline="top",
        fontSize=12,
        fontWeight=600,
        color=colours().ink,
    )
    top = alt.Y("top:Q", scale=None, axis=None)
    return alt.Chart(values, mark=mark).encode(x=x, y=top, text=alt.Text("label:N"))
