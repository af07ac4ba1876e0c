"""A state as a coloured badge with an icon, for Streamlit's Markdown."""

from dashboards.palette import STATE_COLOUR, STATE_ICON
from dashboards.set_status import State

KIND_COLOUR = {"frozen": "blue", "dynamic": "violet", "unknown": "gray"}


def badge(state: State) -> str:
    return f":{STATE_COLOUR[state]}-badge[{STATE_ICON[state]} {state}]"


def kind_badge(kind: str) -> str:
    return f":{KIND_COLOUR[kind]}-badge[{kind}]"
