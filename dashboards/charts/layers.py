"""A chart of several layers in one panel.

`altair.LayerChart` copies all layers twice and moves what they share, which takes twice the time of the layers.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt
from altair.vegalite.v6.schema import SCHEMA_URL

from dashboards.palette import colours


@dataclass(frozen=True, slots=True)
class LayeredChart:
    """Layers with the axes in the colours of the theme. Sizes are in pixels; without a width, the page gives it."""

    layers: Sequence[alt.Chart]
    height: int
    width: int | None = None

    def to_dict(self, *, validate: bool = True) -> dict[str, Any]:
        """Return the specification of Vega-Lite, with equal data once. `validate` raises an error if it is wrong."""
        context: dict[str, Any] = {"datasets": {}, "top_level": False}
        layers = [layer.to_dict(validate=False, context=context) for layer in self.layers]
        specification = {
            "$schema": SCHEMA_URL,
            "config": _config(),
            "height": self.height,
            **({} if self.width is None else {"width": self.width}),
            "layer": layers,
            "datasets": context["datasets"],
        }
        if validate:
            alt.LayerChart.validate(specification)
        return specification


def _config() -> dict[str, Any]:
    ink = colours().ink
    axis = {"labelColor": ink, "labelFontSize": 12, "titleColor": ink, "titleFontSize": 12, "titleFontWeight": "normal"}
    return {"axis": axis, "view": {"strokeWidth": 0}}
