"""Production: interactions and feedback."""

from datetime import datetime

from monitor.api.schema.wire import Wire


class DocumentItem(Wire):
    """A text that a retrieval gave the model to read; `score` is on the retriever's own scale."""

    id: str | None
    content: str
    score: float | None


class InteractionItem(Wire):
    """`duplicate_of` names the kept report of the same call; one that has it counts as no traffic.

    `clock_ahead_s` marks a call that began more than a day after it arrived, by the clock of its sender.
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
    """`name`, `label` and `score` are those of another product's score, on the scale it has there."""

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
