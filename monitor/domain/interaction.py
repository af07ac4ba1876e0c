"""One logged call of a model, as the product made it."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from monitor.domain.clock_ahead import seconds_ahead


class Origin(StrEnum):
    """Where an interaction comes from. Only `production` counts as traffic."""

    PRODUCTION = "production"
    REPLAY = "replay"  # our own replay, seen again through an instrumented application
    SEALED_MATCH = "sealed_match"  # its input is a sealed case, but no replay of ours is known to have sent it


class ContentState(StrEnum):
    """What is left of the texts."""

    FULL = "full"
    PARTIAL = "partial"
    TRUNCATED = "truncated"
    REDACTED = "redacted"
    ABSENT = "absent"


class Status(StrEnum):
    OK = "ok"
    ERROR = "error"
    INCOMPLETE = "incomplete"  # a stream that broke off or was abandoned, or an answer that was cut


class FinishReason(StrEnum):
    """How a call ended, whatever its provider calls it."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    ERROR = "error"
    OTHER = "other"


class UsageSource(StrEnum):
    """How the token counts are known."""

    EMITTED = "emitted"
    ABSENT = "absent"


class CostSource(StrEnum):
    """How the cost is known."""

    EMITTED = "emitted"  # the sender said it
    COMPUTED = "computed"  # from the tokens and a price table


class Document(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A text the model was given to read by a retrieval."""

    id: str | None = None
    content: str = ""
    score: float | None = None  # as the retriever gave it; its scale is the retriever's own


class ToolCall(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    id: str | None
    name: str
    arguments: str  # JSON text as the model wrote it


class ChatMessage(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One message; `content` is its text parts joined by newlines."""

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class Interaction(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One call: what went in, what came out, what served it, how long it took.

    `input_messages` holds no system message: that is `system_prompt`. `identity` is the digest of the
    deployment's identity fields (see monitor/changes/fingerprint.py), None when they are not there.
    `input_tokens` counts the cached ones in, `output_tokens` the reasoning ones. One with `dup_of` is the second
    report of the call that it names: it is kept, and counts as no traffic.
    """

    id: str
    deployment: str
    started_at: datetime
    received_at: datetime
    source: str  # "otlp", "http", "file"
    convention: str  # which instrumentation's names were read; "native" for our own JSON
    origin: Origin = Origin.PRODUCTION
    run_id: str | None = None
    duration_ms: float | None = None
    conversation_id: str | None = None
    conversation_source: str | None = None  # the attribute or field that named it
    user_id: str | None = None
    user_source: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    response_id: str | None = None
    provider: str | None = None
    request_model: str | None = None
    response_model: str | None = None
    system_fingerprint: str | None = None
    prompt_id: str | None = None
    prompt_version: str | None = None
    prompt_hash: str | None = None
    system_prompt: str | None = None
    input_messages: tuple[ChatMessage, ...] = ()
    output_messages: tuple[ChatMessage, ...] = ()
    documents: tuple[Document, ...] = ()
    finish_reason: FinishReason | None = None
    finish_reason_raw: str | None = None  # as the sender spelled it
    status: Status = Status.OK
    error_class: str | None = None  # of replay/targets/failure.py, or `other`
    error_type: str | None = None  # as the sender spelled it
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    reasoning_tokens: int | None = None
    usage_source: UsageSource = UsageSource.ABSENT
    cost_usd: float | None = None
    cost_source: CostSource | None = None
    price_table: str | None = None  # version of the table that a computed cost is from
    ttft_ms: float | None = None  # to the first token
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    content_state: ContentState = ContentState.FULL
    category: str | None = None  # what it is about, from the deployment's category attribute
    identity: str | None = None
    dup_of: str | None = None
    attributes: Mapping[str, Any] = msgspec.field(default_factory=dict)

    @property
    def input_text(self) -> str:
        """The last user message; empty when content is absent."""
        for message in reversed(self.input_messages):
            if message.role == "user":
                return message.content
        return ""

    @property
    def clock_ahead_s(self) -> float | None:
        """By how much the clock of the sender is ahead of ours; None when it is not, or not by much."""
        return seconds_ahead(self.started_at, self.received_at)

    @property
    def output_text(self) -> str:
        said = self.output_messages
        return said[0].content if len(said) == 1 else "\n".join(m.content for m in said if m.content)


class SpanContent(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Texts of a call that arrived apart from its span (GenAI log events); joined to it by trace and span id."""

    trace_id: str
    span_id: str
    received_at: datetime
    system_prompt: str | None = None
    input_messages: tuple[ChatMessage, ...] = ()
    output_messages: tuple[ChatMessage, ...] = ()
    finish_reason: FinishReason | None = None
    finish_reason_raw: str | None = None
    cut: bool = False  # a text ended early


class InheritedAttributes(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """What a span that is no call says of the calls of its trace, which may be here already or still to come."""

    deployment: str
    trace_id: str
    span_id: str
    parent_span_id: str | None
    received_at: datetime
    ended_at: datetime | None = None
    conversation_id: str | None = None
    conversation_source: str | None = None
    user_id: str | None = None
    user_source: str | None = None
    prompt_id: str | None = None
    prompt_version: str | None = None
    documents: tuple[Document, ...] = ()
