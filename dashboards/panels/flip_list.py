"""The cases that flipped, one page of them at a time, and the one that is picked."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from dashboards.two_runs import Narrowed, flips_of
from dashboards.words import count
from monitor.api.schema import ComparisonItem, FlipItem

PAGE = 10  # cases: what the table shows without a scroll bar of its own
WAYS = {"both ways": None, "to fail": "to_fail", "to pass": "to_pass"}
ALL = ""  # no category has no name


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What is None does not filter."""

    direction: str | None
    category: str | None
    failure_category: str | None

    def narrowed(self) -> Narrowed:
        pairs = (
            ("direction", self.direction),
            ("category", self.category),
            ("failure_category", self.failure_category),
        )
        return tuple((name, value) for name, value in pairs if value is not None)


def pick_case(baseline: str, candidate: str, comparison: ComparisonItem, case: str | None, visit: str) -> str | None:
    """The case to show: what is clicked in the table, else `case`, else the first of the list."""
    key = f"{baseline} {candidate}{visit}"
    filters = _choose_filters(comparison, key)
    narrowed = filters.narrowed()
    cursors: list[str | None] = st.session_state.setdefault(f"cursors of {key} {narrowed}", [None])
    page = flips_of(baseline, candidate, narrowed, cursor=cursors[-1], limit=PAGE)
    if not page.items:
        st.caption("No case flipped." if not narrowed else "No flipped case is like this.")
        return case
    clicked = _show_table(page.items, case, key=f"flips of {key} {narrowed} {len(cursors)}")
    _show_pager(cursors, page.next_cursor, len(page.items), total_of(comparison, filters), key)
    return clicked or case or page.items[0].case_id


def total_of(comparison: ComparisonItem, filters: Filters) -> int | None:
    """How many cases the filters leave; None where the comparison does not tell."""
    if filters.failure_category is not None:
        return None
    rows = [row for row in comparison.categories if filters.category in {None, row.category}]
    fell = sum(row.flipped_to_fail for row in rows) if filters.direction != "to_pass" else 0
    rose = sum(row.flipped_to_pass for row in rows) if filters.direction != "to_fail" else 0
    return fell + rose


def _choose_filters(comparison: ComparisonItem, key: str) -> Filters:
    way, category, failure = st.columns([2, 3, 3], vertical_alignment="bottom")
    chosen = way.segmented_control("Flipped", list(WAYS), default="both ways", key=f"way of {key}", required=True)
    flipped = [row.category for row in comparison.categories if row.flipped_to_fail or row.flipped_to_pass]
    failures = [row.failure_category for row in comparison.failure_shifts]
    named = category.selectbox("Category", [ALL, *flipped], format_func=_or_all, key=f"category of {key}")
    failed = failure.selectbox("Failure category", [ALL, *failures], format_func=_or_all, key=f"failure of {key}")
    return Filters(direction=WAYS[chosen or "both ways"], category=named or None, failure_category=failed or None)


def _or_all(name: str) -> str:
    return name or "all"


def _show_table(items: Sequence[FlipItem], case: str | None, *, key: str) -> str | None:
    """The id of the row that is selected; `case` is at first, where it is among the rows, else the first row if
    there is no case yet.
    """
    ids = [item.case_id for item in items]
    at = [ids.index(case)] if case in ids else [0] if case is None else []
    event = st.dataframe(
        [_row(item) for item in items],
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": at}},
        alt="Cases that flipped; select one to see both answers",
    )
    rows = event["selection"]["rows"]
    return ids[rows[0]] if rows else None


def _row(item: FlipItem) -> dict[str, object]:
    return {
        "case": item.case_id,
        "severity": item.severity,
        "category": item.category,
        "before": item.baseline,
        "after": item.candidate,
        "failure category": item.failure_category,
    }


def _show_pager(cursors: list[str | None], following: str | None, shown: int, total: int | None, key: str) -> None:
    first = (len(cursors) - 1) * PAGE + 1
    of = "" if total is None else f" of {total:,}"
    text, back, on = st.columns([6, 1, 1], vertical_alignment="center")
    told = f"Cases {first:,} to {first + shown - 1:,}{of}" if following or len(cursors) > 1 else count(shown, "case")
    text.caption(f"{told}. New failures come first, the most severe at the top. Select a case to show it.")
    if len(cursors) > 1:
        back.button("Previous", key=f"previous of {key}", on_click=_go_back, args=(cursors,), width="stretch")
    if following:
        on.button("Next", key=f"next of {key}", on_click=cursors.append, args=(following,), width="stretch")


def _go_back(cursors: list[str | None]) -> None:
    cursors.pop()
