"""OpenLLMetry by Traceloop: current `gen_ai.*` lists or old `gen_ai.prompt.0.*`, with `traceloop.*`.

Spans of workflows, tasks, agents and tools repeat the data of the model calls below them.
"""

from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai import indexed_texts
from monitor.ingest.conventions.genai import shared_fields as genai_fields
from monitor.ingest.conventions.genai import texts as genai_texts
from monitor.ingest.conventions.genai.attributes import MAPPED_ATTRIBUTES
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_attributes
from monitor.ingest.conventions.roles import Role, role_of_kind
from monitor.ingest.conventions.span_call import (
    NO_AUTHORITATIVE_FIELDS,
    first_named,
    interaction_of,
    ms_to_event,
)
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.conventions.without_events import WithoutEvents
from monitor.ingest.spans import OtlpSpan

PROPERTY = "traceloop.association.properties."  # properties that the application sets, on every span of the request
MARKERS = indexed_texts.MARKERS | {
    "traceloop.workflow.name", "traceloop.entity.name", "traceloop.prompt.key", "gen_ai.is_streaming",
    "llm.is_streaming", "llm.request.type",
}  # fmt: skip
CALLS = frozenset(["chat", "completion", "text_completion", "generate_content", "responses"])
KIND = "traceloop.span.kind"
NO_CALL_KINDS: frozenset[str] = frozenset()
CONVERSATION = (
    "gen_ai.conversation.id",
    *(f"{PROPERTY}{name}" for name in ("conversation_id", "chat_id", "thread_id", "session_id")),
    "session.id",
)
USER = (f"{PROPERTY}user_id", *genai_fields.USER, "gen_ai.user", "llm.user")
PROMPT = (*genai_fields.PROMPT, "traceloop.prompt.key", f"{PROPERTY}prompt_id", f"{PROPERTY}prompt_name")
VERSION = (*genai_fields.VERSION, "traceloop.prompt.version", f"{PROPERTY}prompt_version")
REASON = "gen_ai.completion.0.finish_reason"
CHUNK = "gen_ai.content.completion.chunk"
DROPPED = ("traceloop.entity.input", "traceloop.entity.output", "llm.request.functions")
FIELDS = MAPPED_ATTRIBUTES | {
    *CONVERSATION,
    *USER,
    *genai_fields.CACHED,
    *genai_fields.REASONING,
    "gen_ai.usage.total_tokens",
}
KEPT = attribute_filter(DROPPED, FIELDS)


class Traceloop(WithoutEvents):
    """See `Convention`."""

    name = "openllmetry"
    markers = MARKERS | {KIND}
    fill_prefixes = (PROPERTY,)
    authoritative_fields = NO_AUTHORITATIVE_FIELDS

    def role_of(self, span: OtlpSpan) -> Role | None:
        found = span.attributes
        if KIND in found:
            return role_of_kind(found[KIND], NO_CALL_KINDS)
        if MARKERS.isdisjoint(found) or "gen_ai.request.model" not in found:
            return None
        return role_of_kind(found.get("gen_ai.operation.name", found.get("llm.request.type", "chat")), CALLS)

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        texts = _texts(own)
        streamed = read.flag(own, "gen_ai.is_streaming") or read.flag(own, "llm.is_streaming")
        fields = genai_fields.shared_fields(own)
        fields["prompt_id"] = first_named(own, inherited, PROMPT).value
        fields["prompt_version"] = first_named(own, inherited, VERSION).value
        fields["ttft_ms"] = ms_to_event(span, CHUNK)
        return interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=genai_fields.reason_of(own) or texts.finish_reason,
            streamed=streamed,
            reason_expected=streamed and own.get(REASON) == "",
            conversation=first_named(own, inherited, CONVERSATION),
            user=first_named(own, inherited, USER),
            kept=kept_attributes(span, context, KEPT),
            fields=fields,
        )


def _texts(own: Mapping[str, Any]) -> Texts:
    lists = genai_texts.texts_of_attributes(own)
    return lists if lists.found else indexed_texts.texts_of(own)
