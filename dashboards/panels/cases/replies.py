"""The replies to a case in one run: texts, scores, reasons of judges, tool calls, cost and latency."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.address import keep_in_address
from dashboards.case_grid import version_of
from dashboards.client import DaemonError
from dashboards.formatting import plain
from dashboards.panels.case_text import (
    show_alone,
    show_amounts,
    show_expectation,
    show_question,
    show_score,
    show_tool_call,
    show_turns,
)
from dashboards.panels.reveal import reveal_requested
from dashboards.panels.text_box import show_style
from dashboards.requests.cases import replies
from dashboards.times import moment
from monitor.api.schema import OutcomeItem
from monitor.api.schema.case_histories import CaseHistoryItem, CaseRepliesItem, CaseRunItem


def show_replies(found: CaseHistoryItem, clicked: str | None) -> None:
    """Draw the choice of the run and its replies. The run is the clicked one, else the one of the address, else the
    newest that answered.
    """
    answered = [run for run in found.runs if run.answers][::-1]
    if not answered:
        return
    st.markdown("**Replies of one run**")
    run_id = _choose(answered, clicked)
    try:
        _show_run(found, run_id)
    except DaemonError as error:
        st.warning(f"The replies of this run cannot be shown: {plain(str(error))}")


def _choose(answered: list[CaseRunItem], clicked: str | None) -> str:
    labels = {run.run_id: _label(run) for run in answered}
    first = next((run for run in (clicked, st.query_params.get("reply")) if run in labels), answered[0].run_id)
    ids = list(labels)
    chosen = st.selectbox(
        "Run", ids, index=ids.index(first), format_func=lambda run: labels[run], key=f"run of the replies {clicked}"
    )
    keep_in_address(reply=chosen)
    return chosen


def _label(run: CaseRunItem) -> str:
    verdict = "no score" if run.passed is None else "pass" if run.passed else "fail"
    return f"{moment(run.at)} · {version_of(run)} · {verdict}"


def _show_run(found: CaseHistoryItem, run_id: str) -> None:
    case_id = found.trend.case_id
    item = replies(run_id, case_id)
    if not item.sealed:
        _show_texts(item)
    elif reveal_requested(f"{run_id} {case_id}"):
        _show_texts(replies(run_id, case_id, reveal=True))
        st.caption("Visible until you change the selection. The page stores nothing.")
    else:
        _show_amounts(item)


def _show_amounts(item: CaseRepliesItem) -> None:
    """Show what every reader may see of a sealed case: amounts and verdicts."""
    for outcome in item.outcomes:
        where = st.container()
        where.markdown(f"**sample {outcome.sample + 1}**")
        show_amounts(where, outcome)
        for score in outcome.scores:
            show_score(where, score)


def _show_texts(item: CaseRepliesItem) -> None:
    show_style()
    question, expectation = st.columns(2)
    show_question(question, item.case)
    show_expectation(expectation, item.case)
    if not item.outcomes:
        st.caption("The answers to this case have expired.")
        return
    # Use tabs: a selection box would draw the page again and hide the revealed text.
    several = len(item.outcomes) > 1
    tabs = st.tabs([f"sample {one.sample + 1}" for one in item.outcomes]) if several else [st.container()]
    for tab, outcome in zip(tabs, item.outcomes, strict=True):
        _show_reply(tab, item, outcome)


def _show_reply(where: DeltaGenerator, item: CaseRepliesItem, outcome: OutcomeItem) -> None:
    where.markdown("**Reply**")
    show_amounts(where, outcome)
    if item.case.turns:
        show_turns(where, outcome, item.case.turns)
    else:
        show_alone(where, outcome)
    for call in outcome.tool_calls or []:
        show_tool_call(where, call)
    for score in outcome.scores:
        show_score(where, score)
