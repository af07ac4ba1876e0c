"""The filters of the list of interactions."""

from typing import Annotated

from fastapi import Depends, Query

from monitor.api.context import Context
from monitor.domain.feedback import FeedbackKind
from monitor.domain.interaction import Status
from monitor.domain.interaction_filter import InteractionFilter

Text = Annotated[
    str | None,
    Query(min_length=1, max_length=200, description="Part of the input or the output, in any case of letters."),
]
Exact = Annotated[str | None, Query(min_length=1, max_length=200)]
User = Annotated[str | None, Query(min_length=1, max_length=200, description="A user id, or its stored hash.")]
HasFeedback = Annotated[bool | None, Query(description="With or without any feedback.")]
Corrected = Annotated[bool | None, Query(description="With or without a correction.")]
Refused = Annotated[bool | None, Query(description="Whether the output starts like a refusal.")]
Traffic = Annotated[bool, Query(description="Only production traffic: no replays, sealed inputs and duplicates.")]


def _filter(  # noqa: PLR0917 - one parameter a filter
    context: Context,
    text: Text = None,
    version: Exact = None,
    user: User = None,
    category: Exact = None,
    trace_id: Exact = None,
    conversation_id: Exact = None,
    status: Status | None = None,
    error_class: Exact = None,
    refused: Refused = None,
    feedback: HasFeedback = None,
    feedback_kind: FeedbackKind | None = None,
    corrected: Corrected = None,
    traffic: Traffic = False,
) -> InteractionFilter:
    return InteractionFilter(
        text=text,
        version=version,
        user=user,
        user_hash=user and context.normalizer.redactor.user(user),
        category=category,
        trace_id=trace_id,
        conversation_id=conversation_id,
        status=status and status.value,
        error_class=error_class,
        refused=refused,
        feedback=feedback,
        feedback_kind=feedback_kind and feedback_kind.value,
        corrected=corrected,
        traffic=traffic,
    )


FilterQuery = Annotated[InteractionFilter, Depends(_filter)]
