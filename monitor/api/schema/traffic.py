"""Production: interactions and feedback."""

from datetime import datetime

from monitor.api.schema.wire import Wire


class InteractionItem(Wire):
    id: str
    deployment: str
    started_at: datetime
    duration_ms: float | None
    source: str
    convention: str
    origin: str
    conversation_id: str | None
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
    error_class: str | None
    input_tokens: int | None
    output_tokens: int | None
    content_state: str
    input_text: str
    output_text: str


class FeedbackItem(Wire):
    id: str
    deployment: str
    at: datetime
    kind: str
    source: str
    value: float | None
    text: str | None
    comment: str | None
    expected: str | None
    failure_category: str | None
    is_correction: bool
    linked_interaction_id: str | None
    link_method: str | None
