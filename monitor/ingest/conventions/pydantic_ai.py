"""Pydantic AI and Logfire: GenAI names with `operation.cost` and `gen_ai.usage.details.*`.

Version 1 of Pydantic AI's instrumentation put the old events in one attribute `events`, as JSON. Logfire's
instrumentation of provider clients keeps the raw request and answer.
"""

from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai import shared_fields as genai_fields
from monitor.ingest.conventions.genai import texts as genai_texts
from monitor.ingest.conventions.genai.attributes import MAPPED_ATTRIBUTES
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_attributes
from monitor.ingest.conventions.provider.texts import texts_of_answer, texts_of_request
from monitor.ingest.conventions.roles import TOOL, Role, role_of_kind
from monitor.ingest.conventions.span_call import NO_AUTHORITATIVE_FIELDS, NO_FILL_PREFIXES, first_named, interaction_of
from monitor.ingest.conventions.texts.call_texts import NOTHING, Texts, merged
from monitor.ingest.conventions.texts.json_list import ListRead, read_list
from monitor.ingest.conventions.unread import note_unread
from monitor.ingest.conventions.without_events import WithoutEvents
from monitor.ingest.spans import OtlpSpan

MARKERS = frozenset(["logfire.json_schema", "logfire.msg", "logfire.msg_template", "model_request_parameters"])
CALLS = frozenset(["chat", "text_completion", "generate_content", "completion", "responses"])
EVENTS = "events"
REQUEST, ANSWER = "request_data", "response_data"  # of Logfire's instrumentation of a provider's client
FIRST_CHUNK = ("gen_ai.client.operation.time_to_first_chunk", "gen_ai.response.time_to_first_chunk")  # seconds
DROPPED = (
    EVENTS,
    REQUEST,
    ANSWER,
    "model_request_parameters",
    "logfire.",
    "all_messages",
    "final_result",
)
FIELDS = MAPPED_ATTRIBUTES | {
    *genai_fields.USER, *genai_fields.CONVERSATION, *genai_fields.CACHED, *genai_fields.REASONING, *FIRST_CHUNK,
    "operation.cost",
}  # fmt: skip
KEPT = attribute_filter(DROPPED, FIELDS)


class PydanticAI(WithoutEvents):
    """See `Convention`."""

    name = "pydantic-ai"
    markers = MARKERS
    fill_prefixes = NO_FILL_PREFIXES
    authoritative_fields = NO_AUTHORITATIVE_FIELDS

    def role_of(self, span: OtlpSpan) -> Role | None:
        """A span of an agent has no request model. Embeddings and tools have operations of their own."""
        found = span.attributes
        if MARKERS.isdisjoint(found):
            return None
        if "gen_ai.tool.name" in found:
            return TOOL
        if "gen_ai.request.model" not in found:
            return None
        return role_of_kind(found.get("gen_ai.operation.name", "chat"), CALLS)

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        texts = _texts(own)
        fields = genai_fields.shared_fields(own)
        fields["prompt_id"] = first_named(own, inherited, genai_fields.PROMPT).value
        fields["prompt_version"] = first_named(own, inherited, genai_fields.VERSION).value
        fields["cost_usd"] = read.number(own, "operation.cost", least=0.0)
        first_chunk_s = read.number(own, *FIRST_CHUNK, least=0.0)
        fields["ttft_ms"] = None if first_chunk_s is None else first_chunk_s * 1000
        return interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=genai_fields.reason_of(own) or texts.finish_reason,
            streamed=first_chunk_s is not None,
            conversation=first_named(own, inherited, genai_fields.CONVERSATION),
            user=first_named(own, inherited, genai_fields.USER),
            kept=kept_attributes(span, context, KEPT),
            fields=fields,
        )


def _texts(own: Mapping[str, Any]) -> Texts:
    """Return the current lists, the events of version 1, or the raw request and answer of Logfire."""
    lists = genai_texts.texts_of_attributes(own)
    if lists.found:
        return lists
    if EVENTS in own:
        events = _listed(own, EVENTS)
        return merged([*(_event_texts(event) for event in events.items), Texts(cut=events.cut, unread=events.unread)])
    return merged([*(_json_texts(own, REQUEST, texts_of_request)), *(_json_texts(own, ANSWER, texts_of_answer))])


def _event_texts(event: Any) -> Texts:
    if not isinstance(event, Mapping):
        note_unread(EVENTS, event)
        return Texts(unread=True)
    name = event.get("event.name")
    if not read.one_of(name, genai_texts.EVENT_NAMES):
        return NOTHING
    return genai_texts.texts_of_event(str(name), event, None)


def _json_texts(own: Mapping[str, Any], name: str, texts_of: Any) -> list[Texts]:
    listed = _listed(own, name)
    return [*(texts_of(item) for item in listed.items), Texts(cut=listed.cut, unread=listed.unread)]


def _listed(own: Mapping[str, Any], name: str) -> ListRead:
    found = read_list(own.get(name))
    if found.unread:
        note_unread(name, own[name])
    return found
