"""Version changes as labelled vertical rules."""

from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from dashboards.charts.axes import rows, y_pixel
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
    values = [_row(index, marker) for index, marker in enumerate(markers)]
    tooltip = alt.Tooltip("detail:N", title="change")
    rule = (
        alt.Chart(rows(values))
        .mark_rule(strokeDash=[5, 4], color=colours().ink, strokeWidth=1.3)
        .encode(x=x, tooltip=[tooltip])
    )
    labels = [_labels(values, x, level, right=right) for level in range(LEVELS) for right in (False, True)]
    return [rule, *labels]


def _row(index: int, marker: Marker) -> dict[str, object]:
    return {
        "order": marker.order,
        "label": cut(marker.label, LABEL_CHARS),
        "detail": marker.detail,
        "level": index % LEVELS,
        "right": marker.share > 0.5,
    }


def _labels(values: Sequence[dict[str, object]], x: alt.X, level: int, *, right: bool) -> alt.Chart:
    data = rows([row for row in values if row["level"] == level and row["right"] == right])
    mark = alt.MarkDef(
        type="text",
        align="right" if right else "left",
        dx=-6 if right else 6,
        baseline="top",
        fontSize=12,
        fontWeight=600,
        color=colours().ink,
    )
    return alt.Chart(data, mark=mark).encode(x=x, y=y_pixel(2 + LINE_PX * level), text=alt.Text("label:N"))
