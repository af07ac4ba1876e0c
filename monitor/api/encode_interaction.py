"""Converts one interaction with its feedback and related calls to the API schema. Pure functions."""

from collections.abc import Iterable, Sequence

from monitor.api import encode
from monitor.api.schema.interactions import (
    CallMessageItem,
    FeedbackEffectItem,
    InteractionDetail,
    RelatedCallItem,
    RequestedToolItem,
)
from monitor.domain.call_order import PlacedCall
from monitor.domain.feedback import Feedback
from monitor.domain.interaction import ChatMessage, Interaction
from monitor.store.traffic.one_interaction import ProposedCase


def detail(
    row: Interaction,
    label: str | None,
    feedback: Sequence[Feedback],
    proposed: Sequence[ProposedCase],
    related: Sequence[PlacedCall],
) -> InteractionDetail:
    cases = {one.feedback_id: one for one in proposed}
    return InteractionDetail(
        interaction=encode.interaction(row),
        version_label=label,
        system_prompt=row.system_prompt,
        input=_messages(row.input_messages),
        output=_messages(row.output_messages),
        feedback=[_effect(one, cases.get(one.id)) for one in feedback],
        related=[_related(one, row) for one in related],
    )


def _messages(messages: Iterable[ChatMessage]) -> list[CallMessageItem]:
    return [
        CallMessageItem(
            role=message.role,
            content=message.content,
            tool_calls=[
                RequestedToolItem(id=call.id, name=call.name, arguments=call.arguments) for call in message.tool_calls
            ],
            tool_call_id=message.tool_call_id,
        )
        for message in messages
    ]


def _effect(feedback: Feedback, case: ProposedCase | None) -> FeedbackEffectItem:
    return FeedbackEffectItem(
        feedback=encode.feedback(feedback),
        candidate_id=case and case.candidate_id,
        candidate_state=case and case.state,
    )


def _related(placed: PlacedCall, to: Interaction) -> RelatedCallItem:
    call = placed.call
    return RelatedCallItem(
        id=call.id,
        started_at=call.started_at,
        duration_ms=call.duration_ms,
        depth=placed.depth,
        same_trace=call.trace_id is not None and call.trace_id == to.trace_id,
        same_conversation=call.conversation_id is not None and call.conversation_id == to.conversation_id,
        status=call.status,
        request_model=call.request_model,
        response_model=call.response_model,
        duplicate_of=call.duplicate_of,
        input_text=call.input_text,
        output_text=call.output_text,
    )
