"""One case in two runs: the question, the expectation, both answers and the reasons of their scores."""

from collections.abc import Sequence
from itertools import zip_longest

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

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
from dashboards.panels.pick_runs import RunPair, run_label
from dashboards.panels.text_box import show_both, show_style
from monitor.api.schema import ComparedCaseItem, ComparedRunItem, OutcomeItem

VERDICT = {
    "pass": ":green-badge[:material/check_circle: pass]",
    "fail": ":red-badge[:material/cancel: fail]",
}


def show_verdicts(case: ComparedCaseItem) -> None:
    """Show what every reader may see: the id of the case and its verdicts."""
    st.markdown(
        f"**{plain(case.case.id)}** &nbsp; {_badge(case.baseline)} → {_badge(case.candidate)} &nbsp; "
        f":gray[category] {plain(case.case.category)} &nbsp; :gray[severity] {plain(case.case.severity)}"
    )


def show_texts(case: ComparedCaseItem, pair: RunPair) -> None:
    """Show all texts of the case; those of a sealed set only after they were revealed."""
    show_style()
    question, expectation = st.columns(2)
    show_question(question, case.case)
    show_expectation(expectation, case.case)
    samples = list(zip_longest(case.baseline.outcomes, case.candidate.outcomes))
    if not samples:
        st.caption("The answers to this case have expired.")
        return
    # Use tabs: a selection box would draw the page again and hide the revealed text.
    tabs = [st.container()] if len(samples) == 1 else st.tabs([f"sample {n + 1}" for n in range(len(samples))])
    for tab, (before, after) in zip(tabs, samples, strict=True):
        with tab:
            _show_answers(before, after, pair, case.case.turns or [])


def _badge(side: ComparedRunItem) -> str:
    how = f" {plain(side.failure_category)}" if side.verdict == "fail" else ""
    return f"{VERDICT[side.verdict]}{how}"


def _show_answers(
    before: OutcomeItem | None, after: OutcomeItem | None, pair: RunPair, questions: Sequence[str]
) -> None:
    left, right = st.columns(2)
    left.markdown(f"**Before** :gray[{plain(run_label(pair.baseline))}]")
    right.markdown(f"**After** :gray[{plain(run_label(pair.candidate))}]")
    if questions:
        show_turns(left, before, questions)
        show_turns(right, after, questions)
    elif before is not None and after is not None and before.text is not None and after.text is not None:
        show_both(left, right, before.text, after.text)
    else:
        show_alone(left, before)
        show_alone(right, after)
    _show_tool_calls(left, right, before, after)
    for where, outcome in ((left, before), (right, after)):
        if outcome is None:
            continue
        show_amounts(where, outcome)
        for score in outcome.scores:
            show_score(where, score)


def _show_tool_calls(
    left: DeltaGenerator, right: DeltaGenerator, before: OutcomeItem | None, after: OutcomeItem | None
) -> None:
    """Show the tool calls of both answers in their order, with the differences of their arguments marked."""
    old, new = (list(outcome.tool_calls or []) if outcome is not None else [] for outcome in (before, after))
    for first, second in zip_longest(old, new):
        if first is None or second is None or first.name != second.name:
            for where, call in ((left, first), (right, second)):
                if call is None:
                    where.caption("No tool call here.")
                else:
                    show_tool_call(where, call)
            continue
        for where, call in ((left, first), (right, second)):
            where.caption(f"tool call **{plain(call.name)}**")
        show_both(left, right, first.arguments, second.arguments)
        if first.result is not None and second.result is not None:
            for where in (left, right):
                where.caption("result")
            show_both(left, right, first.result, second.result)
