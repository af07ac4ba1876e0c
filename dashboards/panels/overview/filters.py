"""The search and the filter by state, both in the address of the page."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dashboards.panels.overview.states import LOOKS, STATES
from monitor.api.schema.overview import OverviewItem

SEARCH, STATE = "search", "state"  # parameters of the address


@dataclass(frozen=True, slots=True, kw_only=True)
class Chosen:
    """The text and the words of the states that the reader chose; empty for all."""

    text: str
    states: tuple[str, ...]


def show_filters(items: Sequence[OverviewItem]) -> Chosen:
    """Show both fields. Only states that a deployment has can be chosen, and those of the address."""
    linked = st.query_params.get_all(STATE)
    words = [LOOKS[state].word for state in STATES if any(item.state == state for item in items)]
    options = [look.word for look in LOOKS.values() if look.word in {*words, *linked}]
    search, states = st.columns([2, 5], vertical_alignment="bottom")
    text = search.text_input(
        "Search deployments",
        key=SEARCH,
        bind="query-params",
        placeholder="name, version or set",
        max_chars=100,
        icon=":material/search:",
    )
    chosen = states.pills("States", options, selection_mode="multi", key=STATE, bind="query-params")
    return Chosen(text=text or "", states=tuple(chosen or ()))


def matching(items: Sequence[OverviewItem], chosen: Chosen) -> list[OverviewItem]:
    """Return the items with one of the chosen states whose name, version or set contains every word of the text."""
    wanted = chosen.text.casefold().split()
    return [
        item
        for item in items
        if (not chosen.states or LOOKS[item.state].word in chosen.states)
        and all(word in _haystack(item) for word in wanted)
    ]


def _haystack(item: OverviewItem) -> str:
    return " ".join([item.deployment, item.version_label or "", *(one.set_name for one in item.sets)]).casefold()
