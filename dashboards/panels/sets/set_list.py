"""All sets, those with a problem first, with what each measures next to its newest pass rate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import streamlit as st

from dashboards.downloads import show_downloads
from dashboards.formatting import count, percent, plain
from dashboards.linked_choice import linked_segments, linked_text
from dashboards.panels.badge import badge, kind_badge
from dashboards.panels.empty import show_empty
from dashboards.set_status import State
from dashboards.times import moment
from monitor.api.schema import SetItem
from monitor.api.schema.overview import NightItem, OverviewItem, OverviewSetItem

PAGE = "screens/sets.py"
KINDS = ("all", "frozen", "dynamic")
DRAWN = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class SetRow:
    """The current revision of a set, and its newest result in each deployment."""

    item: SetItem
    uses: Sequence[tuple[str, OverviewSetItem]]

    @property
    def state(self) -> State:
        """Return the worst verdict of its deployments."""
        found = {State(use.verdict) for _, use in self.uses if use.verdict is not None}
        return next((state for state in State if state in found), State.NO_DATA)


def set_rows(revisions: Sequence[SetItem], deployments: Sequence[OverviewItem]) -> list[SetRow]:
    """Return one row a set: those of the worst verdict first, then by name."""
    newest: dict[str, SetItem] = {}
    for item in revisions:
        newest.setdefault(item.name, item)
    uses = {
        name: [(row.deployment, one) for row in deployments for one in row.sets if one.set_name == name]
        for name in newest
    }
    found = [SetRow(item=item, uses=uses[name]) for name, item in newest.items()]
    order = list(State)
    return sorted(found, key=lambda row: (order.index(row.state), row.item.name))


def show_sets(found: Sequence[SetRow]) -> None:
    """Draw the filters and one card a set."""
    left, right = st.columns([3, 2], vertical_alignment="bottom")
    kind = linked_segments(left, "Kind", KINDS, name="kind")
    words = linked_text(right, "Text", name="text", placeholder="set, deployment, what it measures").casefold()
    kept = [row for row in found if kind in {"all", row.item.kind} and words in _searched(row)]
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
            st.markdown(f"{kind_badge(item.kind)} {badge(row.state)}", width="content")
        st.markdown(
            f"Measures: {plain(item.measures)}" if item.measures else ":gray[What it measures is not described.]"
        )
        for line in _lines(row):
            st.caption(line)


def _lines(row: SetRow) -> Iterator[str]:
    sealed = ", sealed" if row.item.sealed else ""
    yield f"{count(row.item.cases, 'case')}{sealed}, revision of {moment(row.item.created_at)}"
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
