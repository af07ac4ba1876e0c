"""The OpenTelemetry GenAI conventions in all versions: spans to interactions, and events to texts.

Current names (1.37 and later, also in the repository that the conventions moved to) have `gen_ai.provider.name` and
send messages in attributes or in one event. Old names have `gen_ai.system` and send one event for each message.
Senders mix both, so driftd looks up each name separately. Anthropic's SDK writes these names itself and adds the stop
reason of the message.
"""

import json
from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai import texts as genai_texts
from monitor.ingest.conventions.genai.attributes import MAX_TEXT
from monitor.ingest.conventions.genai.shared_fields import (
    CONVERSATION,
    PROMPT,
    USER,
    VERSION,
    present_fields,
    reason_of,
)
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_attributes
from monitor.ingest.conventions.roles import CALL, STEP, TOOL, Role, role_of_kind
from monitor.ingest.conventions.span_call import NO_AUTHORITATIVE_FIELDS, first_named, hex_id, interaction_of
from monitor.ingest.conventions.texts.call_texts import Texts, merged
from monitor.ingest.json_text import storable
from monitor.ingest.spans import OtlpLog, OtlpSpan

TOOLS = "gen_ai.tool.definitions"
OPERATION = "gen_ai.operation.name"
OLD_OPERATION = "llm.request.type"  # of conventions that come before this one in the table
CALLS = frozenset(["chat", "text_completion", "generate_content", "completion", "responses"])
MODEL = "gen_ai.request.model"
TOOL_ATTRIBUTES = frozenset(["gen_ai.tool.name", "gen_ai.tool.call.id", "gen_ai.data_source.id"])
NON_CALL_ATTRIBUTES = TOOL_ATTRIBUTES | {"gen_ai.agent.name", "gen_ai.agent.id"}
FILL_PREFIXES = (
    "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.request.",
    "gen_ai.response.", "gen_ai.usage.", "gen_ai.provider.name", "gen_ai.system",
    "gen_ai.prompt.name", "gen_ai.prompt.version",
)  # fmt: skip
FIRST_TOKEN = (  # the last two are metrics, which some senders put on the span
    "gen_ai.response.time_to_first_chunk",
    "gen_ai.server.time_to_first_token",
    "gen_ai.client.operation.time_to_first_chunk",
)
PROMPTS = frozenset((*PROMPT, *VERSION))
KEPT = attribute_filter()


class GenAI:
    """See `Convention`."""

    name = "otel-genai"
    markers = frozenset([OPERATION, MODEL, *TOOL_ATTRIBUTES])
    fill_prefixes = FILL_PREFIXES
    authoritative_fields = NO_AUTHORITATIVE_FIELDS

    def role_of(self, span: OtlpSpan) -> Role | None:
        """Tools, agents, embeddings and retrievals are not calls."""
        found = span.attributes
        operation = found.get(OPERATION)
        if isinstance(operation, str):
            return CALL if operation in CALLS else role_of_kind(operation, CALLS)
        if operation is None and OLD_OPERATION in found and not read.one_of(found[OLD_OPERATION], CALLS):
            return role_of_kind(found[OLD_OPERATION], CALLS)
        if operation is None and not NON_CALL_ATTRIBUTES.isdisjoint(found):
            return STEP if TOOL_ATTRIBUTES.isdisjoint(found) else TOOL
        return CALL if MODEL in found else None

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        texts = _texts(span)
        fields = present_fields(own)
        if inherited or not PROMPTS.isdisjoint(own):
            fields["prompt_id"] = first_named(own, inherited, PROMPT).value
            fields["prompt_version"] = first_named(own, inherited, VERSION).value
        if (ttft_ms := ttft_ms_of(span)) is not None:
            fields["ttft_ms"] = ttft_ms
        return interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=reason_of(own) or stop_reason(own) or texts.finish_reason,
            streamed=read.flag(own, "gen_ai.request.stream"),
            conversation=first_named(own, inherited, CONVERSATION),
            user=first_named(own, inherited, USER),
            kept=kept_with_tools(span, context),
            fields=fields,
        )

    def claims_log(self, record: OtlpLog) -> bool:
        return record.event_name in genai_texts.EVENT_NAMES

    def read_texts(self, record: OtlpLog) -> Texts:
        hex_id(record.trace_id, 32, f"trace id of the event {record.event_name}")
        hex_id(record.span_id, 16, f"span id of the event {record.event_name}")
        return genai_texts.texts_of_event(record.event_name, record.attributes, record.body)


def stop_reason(own: Mapping[str, Any]) -> str | None:
    """Return the stop reason that Anthropic's SDK adds."""
    return read.text(own, "anthropic.message.stop_reason")


def _texts(span: OtlpSpan) -> Texts:
    """Return the texts of attributes, or else of events: an instrumentation that writes both repeats the same texts."""
    attribute_texts = genai_texts.texts_of_attributes(span.attributes)
    if attribute_texts.found or not span.events:
        return attribute_texts
    events = sorted((e for e in span.events if e.name in genai_texts.EVENT_NAMES), key=lambda e: e.time_ns)
    return merged(genai_texts.texts_of_event(e.name, e.attributes, None) for e in events)


def kept_with_tools(span: OtlpSpan, context: CallContext) -> dict[str, Any]:
    """Return the kept attributes with the tool definitions, bounded: they are part of what served the call."""
    found = kept_attributes(span, context, KEPT)
    tools = span.attributes.get(TOOLS)
    if tools:
        tools = storable(tools)
        text = tools if isinstance(tools, str) else json.dumps(tools, ensure_ascii=False)
        found[TOOLS] = text[:MAX_TEXT] + "…" if len(text) > MAX_TEXT else tools
    return found


def ttft_ms_of(span: OtlpSpan) -> float | None:
    """Return the time to the first token in milliseconds.

    The attribute is in seconds. When that is longer than the whole call, the sender used milliseconds.
    """
    found = read.number(span.attributes, *FIRST_TOKEN, least=0.0)
    if found is None:
        return None
    took_ms = (span.end_ns - span.start_ns) / 1e6
    return found if found <= took_ms < found * 1000 else found * 1000
