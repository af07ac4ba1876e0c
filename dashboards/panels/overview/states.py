"""The states of a deployment: their words, icons and colours. A colour is never the only sign."""

from dataclasses import dataclass
from typing import get_args

from dashboards.palette import Colours
from monitor.api.schema.overview import DeploymentStateName

STATES: tuple[DeploymentStateName, ...] = get_args(DeploymentStateName)  # the worst first


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """The word of a state, its icon, and the name of its colour for Streamlit's badges."""

    word: str
    icon: str
    badge: str


LOOKS: dict[DeploymentStateName, Look] = {
    "regression": Look(word="regression", icon=":material/trending_down:", badge="red"),
    "pending": Look(word="pending", icon=":material/hourglass_top:", badge="orange"),
    "failed": Look(word="failed", icon=":material/error:", badge="orange"),
    "attention": Look(word="attention", icon=":material/priority_high:", badge="orange"),
    "stale": Look(word="stale", icon=":material/history_toggle_off:", badge="gray"),
    "insufficient": Look(word="insufficient", icon=":material/help:", badge="orange"),
    "no_data": Look(word="no data", icon=":material/radio_button_unchecked:", badge="gray"),
    "improvement": Look(word="improvement", icon=":material/trending_up:", badge="blue"),
    "ok": Look(word="ok", icon=":material/check_circle:", badge="green"),
}


def state_badge(state: DeploymentStateName, text: str | None = None) -> str:
    """Return the state as a badge for Markdown, with `text` instead of its word."""
    look = LOOKS[state]
    return f":{look.badge}-badge[{look.icon} {text or look.word}]"


def line_colour(verdict: str | None, theme: Colours) -> str:
    """Return the colour of the sparkline of a set with this verdict."""
    names = {"regression": theme.series[1], "improvement": theme.series[0], "ok": theme.series[2]}
    return names.get(verdict or "", theme.neutral)
