"""A page of interactions, and one interaction with its messages, feedback and related calls."""

from datetime import datetime

from monitor.api.schema.traffic import FeedbackItem, InteractionItem
from monitor.api.schema.wire import ListPage, Wire


class InteractionPage(ListPage[InteractionItem]):
    """One page of a search. A page may have fewer items than asked for, even none, and a `next_cursor`: the search
    stopped at its time limit. Everything from `searched_to` on was searched; null when the search is complete.
    """

    searched_to: datetime | None


class RequestedToolItem(Wire):
    """A tool call that a model asked for, with the arguments as the model wrote them."""

    id: str | None
    name: str
    arguments: str


class CallMessageItem(Wire):
    """A message of a call. A message with `tool_call_id` is the result of that tool call."""

    role: str
    content: str
    tool_calls: list[RequestedToolItem]
    tool_call_id: str | None


class FeedbackEffectItem(Wire):
    """Feedback, and the candidate for an eval set that it proposed or joined; null when it is in none."""

    feedback: FeedbackItem
    candidate_id: str | None
    candidate_state: str | None


class RelatedCallItem(Wire):
    """A call of the same trace or conversation, `depth` calls deep in its trace. The texts are cut."""

    id: str
    started_at: datetime
    duration_ms: float | None
    depth: int
    same_trace: bool
    same_conversation: bool
    status: str
    request_model: str | None
    response_model: str | None
    duplicate_of: str | None
    input_text: str
    output_text: str


class InteractionDetail(Wire):
    """One call. `input` are the messages that the model read, `output` those that it wrote. `related` has the calls of
    the same trace and conversation within two days, in order, with this call; at most 200.
    """

    interaction: InteractionItem
    version_label: str | None
    system_prompt: str | None
    input: list[CallMessageItem]
    output: list[CallMessageItem]
    feedback: list[FeedbackEffectItem]
    related: list[RelatedCallItem]
