"""All sets, the worst first: the state of their health, exposure, and what each measures next to its newest rate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, percent, plain
from dashboards.linked_choice import linked_segments, linked_select, linked_text
from dashboards.panels.badge import badge, kind_badge
from dashboards.panels.empty import show_empty
from dashboards.set_status import State
from dashboards.times import moment
from monitor.api.schema import SetItem
from monitor.api.schema.overview import NightItem, OverviewItem, OverviewSetItem
from monitor.api.schema.set_health import SetStateItem

PAGE = "screens/sets.py"
KINDS = ("all", "frozen", "dynamic")
DRAWN = 60
MOST_CONCERNS = 2  # in a card; the page of the set has all


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRow:
    """The current revision of a set, its newest result in each deployment, and its newest measured health."""

    item: SetItem
    health: SetStateItem | None
    uses: Sequence[tuple[str, OverviewSetItem]]

    @property
    def state(self) -> State:
        """Return the worst verdict of its deployments."""
        found = {State(use.verdict) for _, use in self.uses if use.verdict is not None}
        return next((state for state in State if state in found), State.NO_DATA)

    @property
    def health_state(self) -> str:
        """Return `concerns`, `unknown` or `ok`. A set that is not configured is not measured."""
        return "unknown" if self.health is None else self.health.state

    @property
    def concerns(self) -> int:
        return 0 if self.health is None else len(self.health.concerns)


HEALTH = {"all": "any health", "concerns": "with concerns", "unknown": "not measured", "ok": "no concern"}


def set_rows(
    revisions: Sequence[SetItem], deployments: Sequence[OverviewItem], states: Sequence[SetStateItem]
) -> list[SetRow]:
    """Return one row a set: those of the worst verdict first, then those with most concerns, then by name."""
    newest: dict[str, SetItem] = {}
    for item in revisions:
        newest.setdefault(item.name, item)
    uses = {
        name: [(row.deployment, one) for row in deployments for one in row.sets if one.set_name == name]
        for name in newest
    }
    health = {one.set_name: one for one in states}
    found = [SetRow(item=item, uses=uses[name], health=health.get(name)) for name, item in newest.items()]
    order = list(State)
    return sorted(found, key=lambda row: (order.index(row.state), -row.concerns, row.item.name))


def show_sets(found: Sequence[SetRow]) -> None:
    """Draw the filters and one card a set."""
    left, middle, right = st.columns([2, 2, 3], vertical_alignment="bottom")
    kind = linked_segments(left, "Kind", KINDS, name="kind")
    health = linked_select(middle, "Health", list(HEALTH), name="health", format_func=lambda name: HEALTH[name])
    words = linked_text(right, "Text", name="text", placeholder="set, deployment, what it measures").casefold()
    kept = [
        row
        for row in found
        if kind in {"all", row.item.kind} and health in {"all", row.health_state} and words in _searched(row)
    ]
    if not kept:
        show_empty("No set matches these filters.", do="Remove the text, or select another kind.")
        return
    for row in kept[:DRAWN]:
        _show_card(row)
    shown = f"The first {DRAWN} of {count(len(kept), 'set')}." if len(kept) > DRAWN else f"{count(len(kept), 'set')}."
    st.caption(shown)
    show_downloads("sets", [row.item.model_dump(mode="json") for row in kept])


def _show_card(row: SetRow) -> None:
    item = row.item
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.page_link(
                PAGE, label=f"**{plain(item.name)}**", icon=":material/folder:", query_params={"set": item.name}
            )
            st.markdown(f"{kind_badge(item.kind)} {badge(row.state)} {_health_badge(row)}", width="content")
        st.markdown(
            f"Measures: {plain(item.measures)}" if item.measures else ":gray[What it measures is not described.]"
        )
        for line in _lines(row):
            st.caption(line)
        if row.health is not None:
            for concern in row.health.concerns[:MOST_CONCERNS]:
                st.caption(f":material/health_and_safety: {plain(concern)}")
            if len(row.health.concerns) > MOST_CONCERNS:
                st.caption(f"and {count(len(row.health.concerns) - MOST_CONCERNS, 'more concern')}")


def _health_badge(row: SetRow) -> str:
    if row.health_state == "concerns":
        return f":orange-badge[:material/health_and_safety: {count(row.concerns, 'concern')}]"
    return ":green-badge[no concern]" if row.health_state == "ok" else ":gray-badge[health not measured]"


def _exposure(health: SetStateItem) -> str:
    if health.max_exposure is None:
        return "no exposure: not sealed"
    return f"exposure {health.max_exposure} {'without a budget' if health.budget is None else f'of {health.budget}'}"


def _lines(row: SetRow) -> Iterator[str]:
    sealed = ", sealed" if row.item.sealed else ""
    yield f"{count(row.item.cases, 'case')}{sealed}, revision of {moment(row.item.created_at)}"
    health = row.health
    if health is not None and health.computed_at is not None:
        age = (
            ""
            if health.median_age_days is None
            else f", median age of cases {count(round(health.median_age_days), 'day')}"
        )
        yield f"{_exposure(health)}{age}; measured {moment(health.computed_at)}"
    for deployment, use in row.uses:
        night = next((night for night in reversed(use.nights) if night.rate is not None), None)
        rate = "no result yet" if night is None else f"**{percent(night.rate)}** passed{_interval(night)}"
        yield f"{plain(deployment)}: {rate}, {moment(use.measured_at) if use.measured_at else 'never judged'}"


def _interval(night: NightItem) -> str:
    if night.low is None or night.high is None:
        return ""
    return f" (95 % interval {percent(night.low)} to {percent(night.high)})"


def _searched(row: SetRow) -> str:
    names = " ".join(name for name, _ in row.uses)
    return f"{row.item.name} {names} {row.item.measures or ''}".casefold()
