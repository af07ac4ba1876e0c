"""LiteLLM's OpenTelemetry callback: old GenAI names, `llm.request.type`, a cost, and `metadata.*`.

LiteLLM writes unknown values as empty text or 0, and some values as the text of a Python dict.
"""

import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions import litellm_texts
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai import indexed_texts
from monitor.ingest.conventions.genai import shared_fields as genai_fields
from monitor.ingest.conventions.genai import texts as genai_texts
from monitor.ingest.conventions.genai.attributes import MAPPED_ATTRIBUTES
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_attributes
from monitor.ingest.conventions.roles import Role, role_of_kind
from monitor.ingest.conventions.span_call import NO_FILL_PREFIXES, CallFields, first_named, hex_id, interaction_of
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.spans import OtlpLog, OtlpSpan

MARKERS = frozenset(["litellm.call_id", "hidden_params", "metadata.user_api_key_hash"])
TYPE = "llm.request.type"
CALLS = frozenset(
    f"{asynchronous}{call}"
    for asynchronous in ("", "a")
    for call in ("completion", "text_completion", "responses", "generate_content", "generate_content_stream", "chat")
) | {"anthropic_messages"}
CONVERSATION = (*genai_fields.CONVERSATION, "metadata.session_id", "metadata.litellm_session_id")
USER = ("llm.user", "metadata.user_api_key_end_user_id", *genai_fields.USER)
COST = ("gen_ai.cost.total_cost", "gen_ai.usage.cost")
USAGE = "metadata.usage_object"
CACHED = re.compile(r"'cached_tokens': (\d{1,18})(?!\d)")
REASONING = re.compile(r"'reasoning_tokens': (\d{1,18})(?!\d)")
DROPPED = (
    "hidden_params", "metadata.user_api_key_", "metadata.requester_", "metadata.user_agent", USAGE, "gen_ai.cost.",
    "llm.request.functions", "llm.openai.", "llm.anthropic.", "metadata.spend_logs_metadata",
)  # fmt: skip
FIELDS = MAPPED_ATTRIBUTES | {*CONVERSATION, *USER, *COST, *genai_fields.CACHED, *genai_fields.REASONING, TYPE}
KEPT = attribute_filter(DROPPED, FIELDS)


class LiteLLM:
    """See `Convention`."""

    name = "litellm"
    markers = MARKERS
    fill_prefixes = NO_FILL_PREFIXES
    authoritative_fields = frozenset(
        ["response_id", "input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens", "cost_usd"]
    )

    def role_of(self, span: OtlpSpan) -> Role | None:
        """The raw request that LiteLLM may report in addition to the call has no `gen_ai.request.model`."""
        found = span.attributes
        if MARKERS.isdisjoint(found) or "gen_ai.request.model" not in found:
            return None
        kind = found.get(TYPE, "completion")
        return role_of_kind(kind, CALLS) or role_of_kind(str(kind).removeprefix("a"), CALLS)

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        texts = _texts(own)
        return interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=genai_fields.reason_of(own) or texts.finish_reason,
            streamed=read.flag(own, "llm.is_streaming"),
            conversation=first_named(own, inherited, CONVERSATION),
            user=first_named(own, inherited, USER),
            kept=kept_attributes(span, context, KEPT),
            fields=_fields(own, inherited),
        )

    def claims_log(self, record: OtlpLog) -> bool:
        return litellm_texts.event_of(record) is not None

    def read_texts(self, record: OtlpLog) -> Texts:
        hex_id(record.trace_id, 32, "trace id of LiteLLM's event")
        hex_id(record.span_id, 16, "span id of LiteLLM's event")
        return litellm_texts.texts_of_event(str(litellm_texts.event_of(record)), record)


def _texts(own: Mapping[str, Any]) -> Texts:
    """Return the lists of the GenAI conventions, with tool calls from the numbered attributes, which the lists lack."""
    lists = genai_texts.texts_of_attributes(own)
    if any(message.tool_calls for message in lists.outputs):
        return lists
    numbered = indexed_texts.texts_of(own).outputs
    if not any(message.content for message in lists.outputs):
        return lists._replace(outputs=numbered or lists.outputs)
    if len(numbered) != len(lists.outputs):
        return lists
    outputs = (replace(one, tool_calls=other.tool_calls) for one, other in zip(lists.outputs, numbered, strict=True))
    return lists._replace(outputs=tuple(outputs))


def _fields(own: Mapping[str, Any], inherited: Mapping[str, Any]) -> CallFields:
    fields = genai_fields.shared_fields(own)
    if fields["response_id"] == own.get("litellm.call_id"):
        fields["response_id"] = None  # no answer: this is LiteLLM's own call id
    fields["prompt_id"] = first_named(own, inherited, genai_fields.PROMPT).value
    fields["prompt_version"] = first_named(own, inherited, genai_fields.VERSION).value
    if not fields["input_tokens"] and not fields["output_tokens"]:  # a stream without usage
        fields["input_tokens"] = fields["output_tokens"] = None
        return fields
    fields["cost_usd"] = read.number(own, *COST, least=0.0)
    if fields["cached_input_tokens"] is None:
        fields["cached_input_tokens"] = _usage_count(CACHED, own)
    if fields["reasoning_tokens"] is None:
        fields["reasoning_tokens"] = _usage_count(REASONING, own)
    return fields


def _usage_count(pattern: re.Pattern[str], own: Mapping[str, Any]) -> int | None:
    """Return a count from the usage, which is the text of a Python dict."""
    usage = read.text(own, USAGE)
    found = pattern.search(usage) if usage else None
    return int(found.group(1)) if found else None
