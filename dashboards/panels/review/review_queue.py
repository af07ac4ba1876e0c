"""The list of candidates: filters, pages and the selected candidate."""

from collections.abc import Sequence

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.formatting import count, cut
from dashboards.panels.empty import show_empty
from dashboards.reviewing import candidates_now
from dashboards.times import moment
from monitor.api.schema import CandidateItem, DeploymentItem

PAGE = 10  # candidates per page: the table needs no scroll bar
STATES = {"waiting": "proposed", "accepted": "accepted", "rejected": "rejected"}
READINESS = {"all": None, "ready to accept": "true", "needs an edit": "false"}
ALL = ""  # no deployment has an empty name
CUT = 110


def choose_filters(deployments: Sequence[DeploymentItem], linked: str | None) -> dict[str, str]:
    """Return the query parameters of the list; `linked` is the deployment in the address."""
    where, state, ready, category = st.columns([3, 3, 3, 2], vertical_alignment="bottom")
    names = [ALL, *(row.name for row in deployments)]
    waiting = {row.name: row.candidates.proposed for row in deployments}
    deployment = where.selectbox(
        "Deployment",
        names,
        index=names.index(linked) if linked in names else 0,
        format_func=lambda name: f"{name} ({waiting[name]:,} waiting)" if name else "all",
        key="review deployment",
    )
    chosen = state.segmented_control(
        "State", list(STATES), default="waiting", key="reviewed", required=True, bind="query-params"
    )
    readiness = ready.segmented_control(
        "Expectation", list(READINESS), default="all", key="expectation", required=True, bind="query-params"
    )
    named = category.text_input("Category", key="category", placeholder="all", bind="query-params")
    keep_in_address(deployment=deployment or None)
    given = {
        "deployment": deployment,
        "state": STATES[chosen or "waiting"],
        "ready": READINESS[readiness or "all"],
        "category": named.strip(),
    }
    return {name: value for name, value in given.items() if value}


def pick_candidate(narrowed: dict[str, str], linked: str | None) -> str | None:
    """Return the id of the selected row, else `linked`, else the first candidate that was not skipped; None without
    any.
    """
    key = " ".join(f"{name}={value}" for name, value in narrowed.items())
    if st.session_state.setdefault(_FILTERS, key) != key:  # other filters: forget the candidate of the old ones
        st.session_state[_FILTERS], linked = key, None
        keep_in_address(candidate=None)
    cursors: list[str | None] = st.session_state.setdefault(f"cursors of {key}", [None])
    page = candidates_now(narrowed, cursor=cursors[-1], limit=PAGE)
    if not page.items and len(cursors) > 1:  # the last candidate of this page was decided
        cursors.pop()
        st.rerun()
    if not page.items:
        _show_empty_queue(narrowed)
        return linked
    # A decision changes the rows. A new key makes the table start at its first row.
    clicked = _show_table(page.items, key=f"queue {key} {len(cursors)} {page.items[0].id} {len(page.items)}")
    _show_pager(cursors, page.next_cursor, len(page.items), key)
    if clicked is not None:
        keep_in_address(candidate=clicked)
    skipped = st.session_state.setdefault("skipped candidates", set())
    first = next((item.id for item in page.items if item.id not in skipped), page.items[0].id)
    return clicked or linked or first


def skip(candidate_id: str) -> None:
    st.session_state.setdefault("skipped candidates", set()).add(candidate_id)


def _show_empty_queue(narrowed: dict[str, str]) -> None:
    if narrowed["state"] == "proposed" and set(narrowed) <= {"state", "deployment"}:
        st.success("No candidate waits for a review.", icon=":material/task_alt:")
    else:
        show_empty("No candidate matches these filters.", do="Select another state, or remove the category.")


def _show_table(items: Sequence[CandidateItem], *, key: str) -> str | None:
    event = st.dataframe(
        [_row(item) for item in items],
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        alt="Candidates; select one to review it",
    )
    rows = event["selection"]["rows"]
    return items[rows[0]].id if rows else None


def _row(item: CandidateItem) -> dict[str, object]:
    return {
        "proposed": moment(item.proposed_at),
        "question": cut(" ".join(item.input_text.split()), CUT),
        "expected": cut(_expectation(item), CUT),
        "failed as": item.failure_category,
        "category": item.category,
        "severity": item.severity,
        "deployment": item.deployment,
    }


def _expectation(item: CandidateItem) -> str:
    if not item.ready:
        return "needs an edit"
    text = item.expected or "; ".join([*item.must_include, *(f"not: {text}" for text in item.must_not)])
    return " ".join(text.split())


def _show_pager(cursors: list[str | None], following: str | None, shown: int, key: str) -> None:
    first = (len(cursors) - 1) * PAGE + 1
    text, back, on = st.columns([6, 1, 1], vertical_alignment="center")
    which = (
        f"Candidates {first:,} to {first + shown - 1:,}" if following or len(cursors) > 1 else count(shown, "candidate")
    )
    text.caption(f"{which}, newest first. The first one is open below; select a row to open another.")
    if len(cursors) > 1:
        back.button("Previous", key=f"previous of {key}", on_click=_go_back, args=(cursors,), width="stretch")
    if following:
        on.button("Next", key=f"next of {key}", on_click=cursors.append, args=(following,), width="stretch")


def _go_back(cursors: list[str | None]) -> None:
    cursors.pop()


_FILTERS = "filters of the queue"
