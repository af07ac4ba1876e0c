"""One interaction: its messages in order, its feedback and what it led to, and the calls of its trace."""

from datetime import datetime

import streamlit as st

from dashboards.address import keep_in_address
from dashboards.formatting import count, cut, plain
from dashboards.panels.text_box import show_style, show_text
from dashboards.requests.production import interaction
from dashboards.times import moment
from monitor.api.schema import InteractionItem
from monitor.api.schema.interactions import CallMessageItem, FeedbackEffectItem, InteractionDetail, RelatedCallItem

CUT = 120


def show_call(id_: str, at: datetime | None) -> None:
    """Draw the call with the way back to the search."""
    if st.button("All interactions", icon=":material/arrow_back:", type="tertiary"):
        keep_in_address(interaction=None, at=None)
        st.rerun()
    found = interaction(id_, at)
    show_style()
    call = found.interaction
    st.subheader(f"Call of {moment(call.started_at)}", anchor=False)
    _show_facts(found)
    _show_messages(found)
    _show_feedback(found.feedback)
    _show_related(found)


def _show_facts(found: InteractionDetail) -> None:
    call = found.interaction
    facts = [
        f"version **{plain(found.version_label or call.identity or 'unknown')}**",
        f"result **{plain(call.error_class or call.status)}**",
        None if call.duration_ms is None else f"{call.duration_ms:,.0f} ms",
        None if call.ttft_ms is None else f"first token after {call.ttft_ms:,.0f} ms",
        None if call.input_tokens is None else f"{count(call.input_tokens, 'token')} in",
        None if call.output_tokens is None else f"{count(call.output_tokens, 'token')} out",
        None if call.cost_usd is None else f"{call.cost_usd:.6f} USD",
        None if call.category is None else f"category {plain(call.category)}",
        None if call.user_id is None else f"user {plain(call.user_id)}",
    ]
    st.markdown(" · ".join(fact for fact in facts if fact is not None))
    names = {"call": call.id, "trace": call.trace_id, "conversation": call.conversation_id, "model": _model(call)}
    st.caption(" · ".join(f"{name} {plain(value)}" for name, value in names.items() if value))


def _model(call: InteractionItem) -> str | None:
    return call.response_model or call.request_model


def _show_messages(found: InteractionDetail) -> None:
    call = found.interaction
    st.markdown("**Messages**")
    if call.content_state == "absent":
        st.caption("The texts of this call were not stored.")
    elif call.content_state != "full":
        st.caption(f"The texts are {plain(call.content_state)}.")
    if found.system_prompt:
        with st.expander("System prompt"):
            show_text(st.container(), found.system_prompt)
    for document in call.documents:
        with st.expander(f"Document {plain(document.id or 'without an id')}"):
            show_text(st.container(), document.content)
    for message in found.input:
        _show_message(message)
    for message in found.output:
        _show_message(message, name="answer")


def _show_message(message: CallMessageItem, name: str | None = None) -> None:
    role = name or ("tool result" if message.tool_call_id else message.role)
    st.caption(plain(role))
    if message.content or not message.tool_calls:
        show_text(st.container(), message.content)
    for called in message.tool_calls:
        st.caption(f"tool call **{plain(called.name)}**")
        show_text(st.container(), called.arguments)


def _show_feedback(effects: list[FeedbackEffectItem]) -> None:
    st.markdown("**Feedback**")
    if not effects:
        st.caption("No feedback is linked to this call.")
    for effect in effects:
        feedback = effect.feedback
        value = "" if feedback.value is None else f" {feedback.value:g}"
        correction = ", a correction" if feedback.is_correction else ""
        st.markdown(
            f"{moment(feedback.at)}: **{plain(feedback.kind)}{value}** by {plain(feedback.source)}{correction}"
            + (f", {plain(feedback.failure_category)}" if feedback.failure_category else "")
        )
        for text in (feedback.text, feedback.comment, feedback.expected):
            if text:
                show_text(st.container(), text)
        _show_effect(effect)


def _show_effect(effect: FeedbackEffectItem) -> None:
    if effect.candidate_id is None:
        st.caption("No candidate for an eval set came from it.")
        return
    st.page_link(
        "screens/review.py",
        label=f"Candidate for an eval set: {effect.candidate_state}",
        icon=":material/rate_review:",
        query_params={"candidate": effect.candidate_id},
    )


def _show_related(found: InteractionDetail) -> None:
    related = found.related
    if len(related) < 2:
        return
    st.markdown("**Calls of the same trace and conversation**")
    event = st.dataframe(
        [_row(call, found.interaction.id) for call in related],
        hide_index=True,
        key=f"calls around {found.interaction.id}",
        on_select="rerun",
        selection_mode="single-row",
        alt="Calls of the same trace and conversation; select one to open it",
    )
    rows = event["selection"]["rows"]
    if rows and related[rows[0]].id != found.interaction.id:
        keep_in_address(interaction=related[rows[0]].id, at=related[rows[0]].started_at.isoformat())
        st.rerun()


def _row(call: RelatedCallItem, shown: str) -> dict[str, object]:
    return {
        "": "this call" if call.id == shown else "duplicate" if call.duplicate_of else "",
        "time": moment(call.started_at),
        "input": "↳ " * call.depth + cut(call.input_text, CUT),
        "output": cut(call.output_text, CUT),
        "in": "trace" if call.same_trace else "conversation",
        "model": call.response_model or call.request_model or "",
        "result": call.status,
        "latency (ms)": call.duration_ms,
    }
