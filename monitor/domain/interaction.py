"""One logged call of a model."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from monitor.domain.clock_ahead import seconds_ahead


class Origin(StrEnum):
    """The origin of an interaction. Only `production` counts as traffic."""

    PRODUCTION = "production"
    REPLAY = "replay"  # a replay of driftd, reported by an instrumented application
    SEALED_MATCH = "sealed_match"  # its input is a sealed case, but no replay of driftd is known to have sent it


class ContentState(StrEnum):
    """How much of the texts is stored."""

    FULL = "full"
    PARTIAL = "partial"
    TRUNCATED = "truncated"
    REDACTED = "redacted"
    ABSENT = "absent"


class Status(StrEnum):
    OK = "ok"
    ERROR = "error"
    INCOMPLETE = "incomplete"  # a stream that was interrupted or abandoned, or a truncated answer


class FinishReason(StrEnum):
    """Why a call ended, in one vocabulary for all providers."""

    STOP = "stop"
    LENGTH = "length"
    TOOL_CALLS = "tool_calls"
    CONTENT_FILTER = "content_filter"
    ERROR = "error"
    OTHER = "other"


class UsageSource(StrEnum):
    """Source of the token counts."""

    EMITTED = "emitted"
    ABSENT = "absent"


class CostSource(StrEnum):
    """Source of the cost."""

    EMITTED = "emitted"  # from the sender
    COMPUTED = "computed"  # from the tokens and a price table


class Document(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """A retrieved text in the input of the model."""

    id: str | None = None
    content: str = ""
    score: float | None = None  # from the retriever, on its own scale


class ToolCall(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    id: str | None
    name: str
    arguments: str  # JSON text from the model, unchanged


class ChatMessage(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One message. `content` has its text parts, joined by newlines."""

    role: str
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


class Interaction(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """One call: input, output, the version that served it, and timing.

    `input_messages` has no system message: that is `system_prompt`. `identity` is the digest of the identity fields of
    the deployment (see monitor/changes/fingerprint.py), None when they are absent. `input_tokens` includes the cached
    ones, `output_tokens` the reasoning ones. An interaction with `duplicate_of` is a duplicate of the named one:
    it is stored and does not count as traffic.
    """

    id: str
    deployment: str
    started_at: datetime
    received_at: datetime
    source: str  # "otlp", "http", "file"
    convention: str  # the instrumentation whose attributes were read; "native" for driftd's own JSON
    origin: Origin = Origin.PRODUCTION
    run_id: str | None = None
    duration_ms: float | None = None
    conversation_id: str | None = None
    conversation_source: str | None = None  # the attribute or field with the id
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
    finish_reason_raw: str | None = None  # in the sender's spelling
    status: Status = Status.OK
    error_class: str | None = None  # from replay/targets/failure.py, or `other`
    error_type: str | None = None  # in the sender's spelling
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    reasoning_tokens: int | None = None
    usage_source: UsageSource = UsageSource.ABSENT
    cost_usd: float | None = None
    cost_source: CostSource | None = None
    price_table: str | None = None  # version of the price table of a computed cost
    ttft_ms: float | None = None  # to the first token
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    content_state: ContentState = ContentState.FULL
    category: str | None = None  # from the category attribute of the deployment
    identity: str | None = None
    duplicate_of: str | None = None
    attributes: Mapping[str, Any] = msgspec.field(default_factory=dict)

    @property
    def input_text(self) -> str:
        """Return the last user message; empty when content is absent."""
        for message in reversed(self.input_messages):
            if message.role == "user":
                return message.content
        return ""

    @property
    def clock_ahead_s(self) -> float | None:
        """Return the seconds by which the sender's clock is ahead; None when it is ahead by a day or less."""
        return seconds_ahead(self.started_at, self.received_at)

    @property
    def output_text(self) -> str:
        messages = self.output_messages
        return messages[0].content if len(messages) == 1 else "\n".join(m.content for m in messages if m.content)


class SpanContent(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Texts of a call that arrived separately from its span (GenAI log events). They are joined by
    trace and span id.
    """

    trace_id: str
    span_id: str
    received_at: datetime
    system_prompt: str | None = None
    input_messages: tuple[ChatMessage, ...] = ()
    output_messages: tuple[ChatMessage, ...] = ()
    finish_reason: FinishReason | None = None
    finish_reason_raw: str | None = None
    cut: bool = False  # a text is truncated


class InheritedAttributes(msgspec.Struct, frozen=True, gc=False, kw_only=True):
    """Attributes of a span that is not a call. The calls of its trace inherit them, stored calls and later ones."""

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
