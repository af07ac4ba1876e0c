"""Colours that people with any colour vision can distinguish on white. They mean the same on every page."""

from dashboards.set_status import State

# The palette of Okabe and Ito, with a darker yellow for white backgrounds.
SERIES = ("#0072b2", "#d55e00", "#009e73", "#a3569b", "#b58900", "#3aa0d8", "#7a4b1f", "#555f6b")
NEUTRAL = "#8a94a0"
INK = "#1c2733"
GRID = "#e4e8ee"

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
    coloured = [name for name in names if name not in grey]
    return {name: SERIES[coloured.index(name) % len(SERIES)] if name not in grey else NEUTRAL for name in names}
