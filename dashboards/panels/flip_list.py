"""The cases that flipped, page by page, and the selected case."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.address import Address
from dashboards.connection import Connection
from dashboards.downloads import show_downloads_of
from dashboards.formatting import count
from dashboards.live import connection_now
from dashboards.two_runs import Narrowed, every_flip, flips_of
from monitor.api.schema import ComparisonItem, FlipItem

PAGE = 10  # cases per page: the table needs no scroll bar
MOST_PAGES = 100  # a link to a later page opens this one
DIRECTIONS = {"both directions": None, "to fail": "to_fail", "to pass": "to_pass"}
ALL = ""  # no category has an empty name


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """The filters of the list. None means no filter."""

    direction: str | None
    category: str | None
    failure_category: str | None
    metric: str | None = None

    def narrowed(self) -> Narrowed:
        pairs = (
            ("direction", self.direction),
            ("category", self.category),
            ("failure_category", self.failure_category),
            ("metric", self.metric),
        )
        return tuple((name, value) for name, value in pairs if value is not None)


def pick_case(address: Address, comparison: ComparisonItem, visit: str) -> Address:
    """Return the address with the filters and the case to show: the selected row, else the case of `address`, else the
    first case of the list. Without a case, there is none.
    """
    baseline, candidate, case = str(address.baseline), str(address.candidate), address.case
    key = f"{baseline} {candidate} {address.metric}{visit}"
    filters = _choose_filters(comparison, address, key)
    narrowed, linked = filters.narrowed(), page_of(address, filters)
    kept = f"cursors of {key} {narrowed}"
    if kept not in st.session_state:
        st.session_state[kept] = _cursors(baseline, candidate, narrowed, page=linked)
    cursors: list[str | None] = st.session_state[kept]
    address = replace(
        address,
        flipped=filters.direction,
        category=filters.category,
        failure=filters.failure_category,
        page=str(len(cursors)) if len(cursors) > 1 else None,
    )
    page = flips_of(baseline, candidate, narrowed, cursor=cursors[-1], limit=PAGE)
    if not page.items:
        filtered = filters.direction or filters.category or filters.failure_category
        st.caption("No flipped case matches these filters." if filtered else "No case flipped.")
        return address
    clicked = _show_table(page.items, case, key=f"flips of {key} {narrowed} {len(cursors)}")
    _show_pager(cursors, page.next_cursor, len(page.items), total_of(comparison, filters), key)
    show_downloads_of(
        f"flips-{baseline}-{candidate}", partial(_download, connection_now(), baseline, candidate, narrowed)
    )
    return replace(address, case=clicked or case or page.items[0].case_id)


def page_of(address: Address, filters: Filters) -> int:
    """Return the page of the address, from 1. Other filters than those of the address start at the first page."""
    same = (address.flipped, address.category, address.failure) == (
        filters.direction,
        filters.category,
        filters.failure_category,
    )
    text = address.page or ""
    return min(max(int(text), 1), MOST_PAGES) if same and text.isascii() and text.isdecimal() else 1


def _cursors(baseline: str, candidate: str, narrowed: Narrowed, *, page: int) -> list[str | None]:
    """Return the cursors of the pages from the first to `page`, or to the last page when there are fewer."""
    cursors: list[str | None] = [None]
    while len(cursors) < page:
        following = flips_of(baseline, candidate, narrowed, cursor=cursors[-1], limit=PAGE).next_cursor
        if following is None:
            break
        cursors.append(following)
    return cursors


def _download(connection: Connection, baseline: str, candidate: str, narrowed: Narrowed) -> list[dict[str, Any]]:
    """Return every flipped case that matches, not only those of the page."""
    return [item.model_dump(mode="json") for item in every_flip(connection, baseline, candidate, narrowed)]


def total_of(comparison: ComparisonItem, filters: Filters) -> int | None:
    """Return the number of cases that match the filters; None when the comparison does not have it."""
    if filters.failure_category is not None:
        return None
    rows = [row for row in comparison.categories if filters.category in {None, row.category}]
    fell = sum(row.flipped_to_fail for row in rows) if filters.direction != "to_pass" else 0
    rose = sum(row.flipped_to_pass for row in rows) if filters.direction != "to_fail" else 0
    return fell + rose


def _choose_filters(comparison: ComparisonItem, address: Address, key: str) -> Filters:
    direction, category, failure = st.columns([2, 3, 3], vertical_alignment="bottom")
    chosen = direction.segmented_control(
        "Flipped", list(DIRECTIONS), default=_way(address.flipped), key=f"way of {key}", required=True
    )
    flipped = [row.category for row in comparison.categories if row.flipped_to_fail or row.flipped_to_pass]
    failures = [row.failure_category for row in comparison.failure_shifts]
    named = _select(category, "Category", flipped, address.category, key=f"category of {key}")
    failed = _select(failure, "Failure category", failures, address.failure, key=f"failure of {key}")
    return Filters(
        direction=DIRECTIONS[chosen or "both directions"],
        category=named or None,
        failure_category=failed or None,
        metric=address.metric,
    )


def _way(linked: str | None) -> str:
    return next((name for name, way in DIRECTIONS.items() if way == linked), "both directions")


def _select(where: DeltaGenerator, label: str, names: list[str], linked: str | None, *, key: str) -> str:
    options = [ALL, *names]
    at = options.index(linked) if linked in options else 0
    return where.selectbox(label, options, index=at, format_func=_or_all, key=key)


def _or_all(name: str) -> str:
    return name or "all"


def _show_table(items: Sequence[FlipItem], case: str | None, *, key: str) -> str | None:
    """Return the id of the selected row. At first it is `case` if it is in the table, else the first row if `case` is
    None.
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
    which = f"Cases {first:,} to {first + shown - 1:,}{of}" if following or len(cursors) > 1 else count(shown, "case")
    text.caption(f"{which}. New failures first, most severe at the top. Select a case to show it.")
    if len(cursors) > 1:
        back.button("Previous", key=f"previous of {key}", on_click=_go_back, args=(cursors,), width="stretch")
    if following:
        on.button("Next", key=f"next of {key}", on_click=cursors.append, args=(following,), width="stretch")


def _go_back(cursors: list[str | None]) -> None:
    cursors.pop()
