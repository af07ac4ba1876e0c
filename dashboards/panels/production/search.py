"""Interactions: the search, with its filters and its page in the address."""

from datetime import datetime
from typing import Any

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.downloads import show_downloads
from dashboards.formatting import count, cut
from dashboards.linked_choice import keep_linked, linked_select, linked_text
from dashboards.requests.production import interactions
from dashboards.snapshot import Snapshot
from dashboards.times import moment
from monitor.api.schema import InteractionItem
from monitor.api.schema.interactions import InteractionPage

CUT = 160
FEEDBACK: dict[str, dict[str, str]] = {
    "any": {},
    "with feedback": {"feedback": "true"},
    "without feedback": {"feedback": "false"},
    "corrected": {"corrected": "true"},
    "not corrected": {"corrected": "false"},
    **{
        kind: {"feedback_kind": kind}
        for kind in ("thumb", "rating", "edit", "retry", "report", "discard", "ticket", "comment")
    },
}
STATUS: dict[str, dict[str, str]] = {
    "any": {},
    "ok": {"status": "ok"},
    "error": {"status": "error"},
    "incomplete": {"status": "incomplete"},
    "refusal": {"refused": "true"},
}


def show_search(snapshot: Snapshot, deployment: str, since: datetime | None) -> None:
    """Draw the filters and one page of the calls that match, newest first. A selected call opens."""
    filters = _filters(snapshot, deployment)
    if since is not None:
        filters["since"] = since.replace(minute=0, second=0, microsecond=0).isoformat()
    cursor = _cursor(deployment, filters)
    found = interactions(deployment, filters, cursor)
    _show_reach(found)
    picked = _show_table(snapshot, deployment, found, key=f"calls {deployment} {sorted(filters.items())} {cursor}")
    _show_pager(found, cursor)
    show_downloads(f"interactions-{deployment}", [item.model_dump(mode="json") for item in found.items])
    if picked is not None:
        keep_in_address(interaction=picked.id, at=picked.started_at.isoformat())
        st.rerun()


def _filters(snapshot: Snapshot, deployment: str) -> dict[str, str]:
    labels = {row.label: row.id for row in snapshot.versions if row.deployment == deployment}
    first = list(st.columns(3, vertical_alignment="bottom"))
    second = list(st.columns(3, vertical_alignment="bottom"))
    given = {
        "text": linked_text(first[0], "Text of input or output", name="text", placeholder="part of a text"),
        "user": linked_text(second[1], "User id or hash", name="user", placeholder="user id"),
        "category": linked_text(second[2], "Category", name="category", placeholder="exact name"),
    }
    version = linked_select(first[1], "Version", ["any", *labels], name="served")
    feedback = linked_select(first[2], "Feedback", list(FEEDBACK), name="feedback")
    status = linked_select(second[0], "Result", list(STATUS), name="result")
    given["version"] = labels.get(version, "")
    return {name: value for name, value in given.items() if value} | FEEDBACK[feedback] | STATUS[status]


def _cursor(deployment: str, filters: dict[str, str]) -> str | None:
    """Return the page of the address; the first page when the search changed since the page was turned."""
    asked = (deployment, {name: value for name, value in filters.items() if name != "since"})
    if st.session_state.get(_ASKED, asked) != asked:
        keep_linked(cursor=None)
    st.session_state[_ASKED] = asked
    return st.query_params.get("cursor")


_ASKED = "search of interactions"


def _show_reach(found: InteractionPage) -> None:
    """Say how far the search got. A search of rare words stops after its time limit."""
    if found.searched_to is None:
        st.caption(f"{count(len(found.items), 'call')} on this page. The search of the period is complete.")
    else:
        st.caption(
            f"{count(len(found.items), 'call')} on this page, searched back to {moment(found.searched_to)}. "
            "**Older calls** continues from there."
        )


def _show_table(snapshot: Snapshot, deployment: str, found: InteractionPage, *, key: str) -> InteractionItem | None:
    if not found.items:
        st.info(
            "No call found so far. Press **Older calls** to search further back."
            if found.next_cursor is not None
            else "No call of this period matches. Choose a longer period, or remove a filter."
        )
        return None
    event = st.dataframe(
        [_row(snapshot, deployment, item) for item in found.items],
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        height=min(35 * (len(found.items) + 1) + 3, 620),
        column_config={
            "input": st.column_config.TextColumn(width="large"),
            "output": st.column_config.TextColumn(width="large"),
            "latency (ms)": st.column_config.NumberColumn(format="%.0f"),
        },
        alt="Calls that match, newest first; select one to open it",
    )
    rows = event["selection"]["rows"]
    return found.items[rows[0]] if rows else None


def _row(snapshot: Snapshot, deployment: str, item: InteractionItem) -> dict[str, Any]:
    return {
        "time": moment(item.started_at),
        "input": cut(item.input_text, CUT),
        "output": cut(item.output_text, CUT),
        "version": snapshot.version_label(deployment, item.identity),
        "result": item.error_class or item.status,
        "latency (ms)": item.duration_ms,
        "tokens in": item.input_tokens,
        "tokens out": item.output_tokens,
        "cost (USD)": item.cost_usd,
        "category": item.category or "",
        "user": item.user_id or "",
    }


def _show_pager(found: InteractionPage, cursor: str | None) -> None:
    with st.container(horizontal=True):
        if cursor is not None and st.button("Newest calls"):
            keep_in_address(cursor=None)
            st.rerun()
        if found.next_cursor is not None and st.button("Older calls"):
            keep_in_address(cursor=found.next_cursor)
            st.rerun()
