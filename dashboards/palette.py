"""Colours that people with any colour vision can distinguish, on light and dark. They mean the same on every page."""

from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from dashboards.set_status import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Colours:
    """The colours of a theme: `series` in order, `neutral` for what has no name, `ink` for text, `grid` for lines,
    `paper` for the background.
    """

    series: tuple[str, ...]
    neutral: str
    ink: str
    grid: str
    paper: str


# The palette of Okabe and Ito, with a darker yellow for white backgrounds and lighter colours for dark ones.
LIGHT = Colours(
    series=("#0072b2", "#d55e00", "#009e73", "#a3569b", "#b58900", "#2e94cc", "#7a4b1f", "#555f6b"),
    neutral="#8a94a0",
    ink="#1c2733",
    grid="#e4e8ee",
    paper="#ffffff",
)
DARK = Colours(
    series=("#4aa8e0", "#f0833a", "#2fbf94", "#cc79a7", "#e6c229", "#8fd0f5", "#c08a5a", "#aab4c0"),
    neutral="#7d8894",
    ink="#e3e8ee",
    grid="#33404d",
    paper="#10161d",
)


def colours() -> Colours:
    """Return the colours of the theme of the reader's browser; those of the light theme outside of a page."""
    shown = st.context.theme.type if get_script_run_ctx(suppress_warning=True) is not None else None
    return DARK if shown == "dark" else LIGHT


# Streamlit's own names for badges, callouts and icons.
STATE_COLOUR = {
    State.REGRESSION: "red",
    State.PENDING: "orange",
    State.FAILED: "orange",
    State.INSUFFICIENT: "orange",
    State.NO_DATA: "gray",
    State.IMPROVEMENT: "blue",
    State.OK: "green",
}
STATE_ICON = {
    State.REGRESSION: ":material/trending_down:",
    State.PENDING: ":material/hourglass_top:",
    State.FAILED: ":material/error:",
    State.INSUFFICIENT: ":material/help:",
    State.NO_DATA: ":material/radio_button_unchecked:",
    State.IMPROVEMENT: ":material/trending_up:",
    State.OK: ":material/check_circle:",
}


def assign(names: list[str], *, grey: tuple[str, ...] = ()) -> dict[str, str]:
    """Return a colour for each name, in the given order; names in `grey` are grey. Colours repeat after eight names."""
    theme = colours()
    coloured = [name for name in names if name not in grey]
    series = theme.series
    return {name: series[coloured.index(name) % len(series)] if name not in grey else theme.neutral for name in names}
