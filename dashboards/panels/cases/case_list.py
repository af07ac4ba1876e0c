"""The list of the cases of a set: filters, order, pages, downloads. All of its state is in the address."""

from functools import partial
from typing import Any

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.connection import Connection
from dashboards.downloads import show_downloads_of
from dashboards.formatting import count, percent, plain
from dashboards.linked_choice import linked_segments, linked_select, linked_text
from dashboards.live import connection_now
from dashboards.panels.empty import show_empty
from dashboards.requests.cases import PAGE, Query, every_trend, trends
from dashboards.times import moment
from monitor.api.schema.case_histories import CaseTrendItem, CaseTrendsItem

STATES = {
    "": "all",
    "failing": "failing now",
    "newly_failing": "newly failing",
    "flaky": "flaky",
    "never_passes": "never passes",
    "too_easy": "too easy",
}
ORDERS = {
    "severity": "severity",
    "difficulty": "difficulty",
    "flakiness": "flakiness",
    "id": "id",
    "category": "category",
}
MEANING = (
    "**Failing now**: failed on the newest run. **Newly failing**: it also passed on the run before. **Flaky**: "
    "answers of one run disagree, or the verdict flips at least twice between runs of one version. "
    "**Never passes** and **too easy**: no answer passed, or none failed, in at least three runs."
)


def show_list(deployment: str, set_name: str, runs: str) -> str | None:
    """Draw the filters and the cases that match. Return the id of the case that the reader selected."""
    base: Query = (("set_name", set_name), ("deployment", deployment), ("runs", runs))
    run_id = st.query_params.get("run")
    base += (("run_id", run_id),) if run_id else ()
    everything = trends(base, None)
    if run_id:
        _show_run(everything)
    query = base + _filters(everything)
    found = trends(query, _cursor(query))
    if not everything.total:
        show_empty(
            f"{plain(set_name)} has no cases.", do="Import cases.", command=f"driftd sets import {set_name} FILE"
        )
        return None
    _show_total(found, everything)
    if not found.items:
        st.info("No case matches these filters. Remove a filter to see more cases.")
        return None
    picked = _show_table(found, key=f"cases {query} {st.query_params.get('cursor')}")
    _show_pager(found)
    show_downloads_of(f"cases-{set_name}", partial(_download, connection_now(), query))
    with st.expander("What the states mean"):
        st.markdown(MEANING)
    return picked


def _show_run(found: CaseTrendsItem) -> None:
    text, button = st.columns([5, 1], vertical_alignment="center")
    text.info(f"Runs up to the one of {moment(found.at)} count: `{found.run_id}`.")
    if button.button("Newest run", width="stretch"):
        keep_in_address(run=None)
        st.rerun()


def _filters(everything: CaseTrendsItem) -> Query:
    """Draw the filters, and return those that are set."""
    state = linked_segments(
        st.container(), "State", list(STATES), name="state", format_func=lambda name: _state_label(name, everything)
    )
    text, category, severity, part, failure, order = _columns(6)
    chosen = {
        "state": state,
        "text": linked_text(text, "Search", name="text", placeholder="id, category"),
        "category": _choose(category, "Category", everything.categories, "category"),
        "severity": _choose(severity, "Severity", everything.severities, "severity"),
        "part": _choose(part, "Part", everything.parts, "part"),
        "failure_category": _choose(failure, "Failure category", everything.failure_categories, "failure"),
        "order": linked_select(order, "Order", list(ORDERS), name="order"),
    }
    return tuple((name, value) for name, value in chosen.items() if value)


def _columns(many: int) -> list[Any]:
    return list(st.columns(many, vertical_alignment="bottom"))


def _choose(where: Any, label: str, options: list[str], name: str) -> str:
    return linked_select(where, label, ["", *options], name=name, format_func=lambda option: option or "all")


def _state_label(name: str, everything: CaseTrendsItem) -> str:
    counts: dict[str, int] = {str(state): number for state, number in everything.states.items()}
    return f"{STATES[name]} ({counts.get(name, everything.total):,})"


def _cursor(query: Query) -> str | None:
    """Return the page of the address; the first page when the filters changed since the page was turned."""
    if st.session_state.get(_QUERY, query) != query:
        keep_in_address(cursor=None)
        st.session_state[_BEFORE] = []
    st.session_state[_QUERY] = query
    return st.query_params.get("cursor")


_QUERY, _BEFORE = "cases that were listed", "pages before"


def _show_total(found: CaseTrendsItem, everything: CaseTrendsItem) -> None:
    newest = (
        "No complete run yet."
        if found.at is None
        else f"The newest of {count(found.runs, 'run')} ended {moment(found.at)}."
    )
    st.caption(f"{count(found.total, 'case')} of {everything.total:,}. {newest} Select a case to open it.")


def _show_table(found: CaseTrendsItem, *, key: str) -> str | None:
    event = st.dataframe(
        [_row(item) for item in found.items],
        hide_index=True,
        key=key,
        on_select="rerun",
        selection_mode="single-row",
        height=min(35 * (len(found.items) + 1) + 3, 620),
        column_config={
            "fails": st.column_config.ProgressColumn(
                "failed runs", format="percent", min_value=0, max_value=1, help="difficulty: share of runs that failed"
            ),
            "states": st.column_config.TextColumn(width="medium"),
        },
        alt="Cases of the set; select one to open it",
    )
    rows = event["selection"]["rows"]
    return found.items[rows[0]].case_id if rows else None


def _row(item: CaseTrendItem) -> dict[str, object]:
    return {
        "case": item.case_id,
        "newest": "no score" if item.passed is None else "pass" if item.passed else "fail",
        "fails": item.fail_share,
        "runs": item.runs,
        "states": ", ".join(STATES[state] for state in item.states),
        "severity": item.severity,
        "category": item.category,
        "failure category": item.failure_category or "",
        "answers that disagree": _share(item.disagreeing, item.pairs),
        "flips": f"{item.flips} of {item.night_pairs}",
        "part": item.part or "",
    }


def _share(part: int, whole: int) -> str:
    return percent(part / whole) if whole else "one answer a run"


def _show_pager(found: CaseTrendsItem) -> None:
    before: list[str] = st.session_state.setdefault(_BEFORE, [])
    at = st.query_params.get("cursor")
    if found.next_cursor is None and at is None:
        return
    text, back, on = st.columns([6, 1, 1], vertical_alignment="center")
    text.caption(f"Pages of {PAGE} cases.")
    if at is not None and back.button("Previous", width="stretch"):
        keep_in_address(cursor=(before.pop() or None) if before else None)
        st.rerun()
    if found.next_cursor is not None and on.button("Next", width="stretch"):
        before.append(at or "")
        keep_in_address(cursor=found.next_cursor)
        st.rerun()


def _download(connection: Connection, query: Query) -> list[dict[str, Any]]:
    """Return every case that matches, not only those of the page."""
    rows = [item.model_dump(mode="json") for item in every_trend(connection, query)]
    return [row | {"states": ", ".join(row["states"])} for row in rows]
