"""Production traffic: interactions and feedback."""

from datetime import datetime

from monitor.api.schema.wire import Wire


class DocumentItem(Wire):
    """A retrieved document in the input of the model; `score` is on the scale of the retriever."""

    id: str | None
    content: str
    score: float | None


class InteractionItem(Wire):
    """A logged call. `duplicate_of` is the id of the first report of the call; a duplicate does not count as traffic.

    `user_id` is the stored hash of the user, unless redaction keeps ids.
    `clock_ahead_s` is set for a call that began more than a day after it arrived, by the clock of its sender.
    """

    id: str
    deployment: str
    started_at: datetime
    clock_ahead_s: float | None = None
    duration_ms: float | None
    source: str
    convention: str
    origin: str
    conversation_id: str | None
    conversation_source: str | None
    user_id: str | None
    user_source: str | None
    trace_id: str | None
    response_id: str | None
    request_model: str | None
    response_model: str | None
    system_fingerprint: str | None
    prompt_id: str | None
    prompt_version: str | None
    identity: str | None
    category: str | None
    status: str
    finish_reason: str | None
    finish_reason_raw: str | None
    error_class: str | None
    error_type: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_input_tokens: int | None
    reasoning_tokens: int | None
    usage_source: str
    cost_usd: float | None
    cost_source: str | None
    price_table: str | None
    ttft_ms: float | None
    duplicate_of: str | None
    content_state: str
    input_text: str
    output_text: str
    documents: list[DocumentItem]


class FeedbackItem(Wire):
    """A feedback record. `name`, `label` and `score` are those of an external score, on its own scale."""

    id: str
    deployment: str
    at: datetime
    kind: str
    source: str
    value: float | None
    name: str | None
    label: str | None
    score: float | None
    text: str | None
    comment: str | None
    expected: str | None
    failure_category: str | None
    is_correction: bool
    linked_interaction_id: str | None
    link_method: str | None
