"""Draws a chart of Altair on a page.

Altair compares every value of a chart with the schema of Vega-Lite, twice: when an object is made and when the chart is
written. That takes two thirds of the time of a chart. The server of the pages does not compare; the tests do.
"""

from typing import Any, Literal

import altair as alt
import streamlit as st
from altair.utils import schemapi

from dashboards.charts.layers import LayeredChart


def disable_validation() -> None:
    """Draw the charts of this process without a comparison with the schema of Vega-Lite."""
    schemapi.disable_debug_mode()


def draw_chart(
    chart: alt.Chart | LayeredChart,
    *,
    key: str | None = None,
    on_select: Literal["ignore", "rerun"] = "ignore",
    width: Literal["stretch", "content"] | None = None,
    text: str | None = None,
) -> Any:
    """Draw the chart. `text` describes it for screen readers. With `on_select="rerun"`, return what is selected."""
    specification = chart.to_dict(validate=schemapi.DEBUG_MODE)
    return st.vega_lite_chart(None, specification, key=key, on_select=on_select, width=width, alt=text)
