"""A candidate for review: the conversation, the corrected answer and the user's correction."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from dashboards.formatting import plain
from dashboards.panels.text_box import show_both, show_style, show_text
from dashboards.times import moment
from monitor.api.schema import CandidateDetail, FeedbackItem

STATE = {
    "proposed": ":orange-badge[:material/hourglass_top: waiting]",
    "accepted": ":green-badge[:material/check_circle: accepted]",
    "rejected": ":gray-badge[:material/cancel: rejected]",
}


def show_candidate(found: CandidateDetail, *, blind: bool = False) -> None:
    """Show the candidate. A blind reviewer does not see who corrected."""
    show_style()
    edited = " :blue-badge[:material/edit: edited]" if found.input_edited else ""
    st.markdown(
        f"{STATE[found.state]}{edited} &nbsp; **{plain(found.deployment)}** &nbsp; :gray[category] "
        f"{plain(found.category)} &nbsp; :gray[failed as] {plain(found.failure_category)} &nbsp; :gray[severity] "
        f"{plain(found.severity)} &nbsp; :gray[proposed] {moment(found.proposed_at)}"
    )
    _show_decision(found)
    _show_before(found)
    st.markdown("**Conversation before the answer**")
    for message in found.input:
        st.caption(plain(message["role"]))
        show_text(st.container(), message["content"])
    _show_answers(found)
    if found.correction is not None:
        _show_correction(found.correction, shown=found.expected, blind=blind)


def show_log(found: CandidateDetail) -> None:
    if not found.decisions:
        return
    with st.expander(f"Review log ({len(found.decisions)})"):
        st.dataframe(
            [
                {
                    "at": moment(entry.at),
                    "by": entry.who,
                    "action": entry.action,
                    "changed": ", ".join(entry.changed),
                    "reason": entry.reason or "",
                }
                for entry in found.decisions
            ],
            hide_index=True,
            alt="Decisions about this candidate",
        )


def _show_decision(found: CandidateDetail) -> None:
    if found.decided_by is None:
        return
    why = f": {plain(found.reason)}" if found.reason else ""
    st.caption(f"{found.state.capitalize()} by {plain(found.decided_by)} at {moment(found.decided_at)}{why}")


def _show_before(found: CandidateDetail) -> None:
    """Show the system prompt and the documents in closed expanders: they are long and often the same."""
    if found.system_prompt:
        with st.expander("System prompt of that call (a replay uses the target's own)"):
            show_text(st.container(), found.system_prompt)
    if found.documents:
        with st.expander(f"Documents in the context of the model ({len(found.documents)})"):
            for document in found.documents:
                st.caption(plain(document.id or "no id"))
                show_text(st.container(), document.content)


def _show_answers(found: CandidateDetail) -> None:
    left, right = st.columns(2)
    left.markdown("**Answer that was corrected**")
    right.markdown("**Expected**")
    if found.expected and found.bad_output:
        show_both(left, right, found.bad_output, found.expected)
    else:
        _show_text_or_caption(left, found.bad_output, "The answer was not captured.")
        _show_text_or_caption(right, found.expected, "")
    for name, texts in (("must include", found.must_include), ("must not include", found.must_not)):
        for text in texts:
            right.caption(name)
            show_text(right, text)
    if not found.ready:
        right.caption("The correction has no correct answer: write it into the form.")


def _show_text_or_caption(column: DeltaGenerator, text: str, otherwise: str) -> None:
    if text:
        show_text(column, text)
    elif otherwise:
        column.caption(otherwise)


def _show_correction(correction: FeedbackItem, *, shown: str, blind: bool) -> None:
    """Show the correction of the user. A text that the page already shows is not repeated."""
    named = f", {plain(correction.failure_category)}" if correction.failure_category else ""
    by = "" if blind else f" by {plain(correction.source)}"
    st.markdown(f"**Correction** :gray[{plain(correction.kind)}{by}, {moment(correction.at)}{named}]")
    texts = [text for text in (correction.comment, correction.text) if text and text.strip() and text != shown]
    for text in texts:
        show_text(st.container(), text)
    if not texts and not shown:
        st.caption("The correction has no text.")
