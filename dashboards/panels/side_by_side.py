"""One case in two runs: what was asked and expected, both answers, and why they were judged so."""

from itertools import zip_longest

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.panels.pick_runs import RunPair, run_label
from dashboards.panels.text_box import show_both, show_style, show_text
from dashboards.words import plain
from monitor.api.schema import CaseItem, ComparedCaseItem, ComparedRunItem, OutcomeItem, ScoreItem

VERDICT = {
    "pass": ":green-badge[:material/check_circle: pass]",
    "fail": ":red-badge[:material/cancel: fail]",
}


def show_verdicts(case: ComparedCaseItem) -> None:
    """What everybody who may read may see: the case by id, and how it fared."""
    st.markdown(
        f"**{plain(case.case.id)}** &nbsp; {_badge(case.baseline)} → {_badge(case.candidate)} &nbsp; "
        f":gray[category] {plain(case.case.category)} &nbsp; :gray[severity] {plain(case.case.severity)}"
    )


def show_texts(case: ComparedCaseItem, pair: RunPair) -> None:
    """Everything that was said; of a sealed set only what has been revealed."""
    show_style()
    question, expectation = st.columns(2)
    _show_question(question, case.case)
    _show_expectation(expectation, case.case)
    samples = list(zip_longest(case.baseline.outcomes, case.candidate.outcomes))
    if not samples:
        st.caption("No answer of this case is kept any more.")
        return
    # Tabs and no choice: choosing would draw the page again, and what was revealed would be gone.
    places = [st.container()] if len(samples) == 1 else st.tabs([f"sample {n + 1}" for n in range(len(samples))])
    for place, (before, after) in zip(places, samples, strict=True):
        with place:
            _show_answers(before, after, pair)


def _badge(side: ComparedRunItem) -> str:
    how = f" {plain(side.failure_category)}" if side.verdict == "fail" else ""
    return f"{VERDICT[side.verdict]}{how}"


def _show_question(where: DeltaGenerator, case: CaseItem) -> None:
    where.markdown("**Question**")
    messages = case.input or []
    for message in messages:
        if len(messages) > 1:
            where.caption(plain(message.get("role", "")))
        show_text(where, message.get("content", ""))


def _show_expectation(where: DeltaGenerator, case: CaseItem) -> None:
    where.markdown("**Expected**")
    lists = (
        ("one of these counts as right", case.references),
        ("must include", case.must_include),
        ("must not include", case.must_not),
        ("a good answer", [case.ideal] if case.ideal is not None else []),
    )
    told = [(name, texts) for name, texts in lists if texts]
    for name, texts in told:
        where.caption(name)
        for text in texts:
            show_text(where, text)
    if not told:
        where.caption("The case has no expected answer. Its scorers decide.")


def _show_answers(before: OutcomeItem | None, after: OutcomeItem | None, pair: RunPair) -> None:
    left, right = st.columns(2)
    left.markdown(f"**Before** :gray[{plain(run_label(pair.baseline))}]")
    right.markdown(f"**After** :gray[{plain(run_label(pair.candidate))}]")
    if before is not None and after is not None and before.text is not None and after.text is not None:
        show_both(left, right, before.text, after.text)
    else:
        _show_alone(left, before)
        _show_alone(right, after)
    for where, outcome in ((left, before), (right, after)):
        for score in outcome.scores if outcome is not None else []:
            _show_score(where, score)


def _show_alone(where: DeltaGenerator, outcome: OutcomeItem | None) -> None:
    if outcome is None:
        where.caption("This run has no such sample.")
    elif outcome.text is None:
        where.caption(f"No answer: {plain(outcome.error_class or 'nothing was kept of it')}.")
    else:
        show_text(where, outcome.text)


def _show_score(where: DeltaGenerator, score: ScoreItem) -> None:
    value = "no verdict" if score.value is None else f"{score.value:g}"
    how = f", {plain(score.failure_category)}" if score.failure_category != "none" else ""
    where.caption(f"{plain(score.scorer)} {plain(score.scorer_version)}: **{plain(score.label)}** ({value}){how}")
    if score.reason:
        show_text(where, score.reason)
