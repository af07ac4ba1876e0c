"""OpenInference (`openinference.span.kind`, `llm.*`): spans of kind LLM are calls; chains and agents are steps."""

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, NamedTuple

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions import openinference_texts as its_texts
from monitor.ingest.conventions.attribute_cache import cached_by_names
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.compiled_fields import FieldNames, ReadFields, ReadNamed, fields_reader, named_reader
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_by_name
from monitor.ingest.conventions.openinference_plan import Plan, plan_of
from monitor.ingest.conventions.provider.json_text import json_of
from monitor.ingest.conventions.provider.texts import has_finish_reason_field
from monitor.ingest.conventions.provider.usage import usage_of_answer
from monitor.ingest.conventions.response_metadata import metadata_of_answer
from monitor.ingest.conventions.roles import CALL, STEP, Role, role_of_kind
from monitor.ingest.conventions.span_call import (
    NO_AUTHORITATIVE_FIELDS,
    CallFields,
    interaction_of,
    ms_to_event,
)
from monitor.ingest.conventions.without_events import WithoutEvents
from monitor.ingest.spans import OtlpSpan

KIND = "openinference.span.kind"
CALLS = frozenset(["LLM"])
PARAMETERS = "llm.invocation_parameters"
TOKEN_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens", "maxTokens", "maxOutputTokens")
FIRST_CHUNK_EVENT = "First Token"  # prefix of the event name at the first token
CONVERSATION = ("session.id", "gen_ai.conversation.id")
USER = ("user.id", "enduser.id")
PROMPT = ("driftd.prompt.id", "prompt.id", "prompt.name")
VERSION = ("driftd.prompt.version", "llm.prompt_template.version")
OWN_FIELDS: Final[FieldNames] = (
    ("provider", read.text, ("llm.provider", "llm.system")),
    ("input_tokens", read.count, ("llm.token_count.prompt",)),
    ("output_tokens", read.count, ("llm.token_count.completion",)),
    ("cached_input_tokens", read.count, ("llm.token_count.prompt_details.cache_read",)),
    ("reasoning_tokens", read.count, ("llm.token_count.completion_details.reasoning",)),
    ("cost_usd", partial(read.number, least=0.0), ("llm.cost.total",)),
)
FILL_PREFIXES = (
    "llm.input_messages.", "llm.output_messages.", "llm.token_count.", "llm.invocation_parameters", "llm.model_name",
    "llm.provider", "llm.finish_reason", "llm.prompt_template.version", "llm.request.model_name",
    "llm.response.model_name",
)  # fmt: skip
DROPPED = (
    "llm.input_messages.", "llm.output_messages.", "llm.prompts", "llm.choices.", "llm.tools.", "llm.token_count.",
    "llm.prompt_template.variables", "llm.prompt_template.template", "embedding.", "retrieval.", "reranker.",
    "input.mime_type", "output.mime_type", "annotations.", "trace.evaluations.",
)  # fmt: skip
FIELDS = frozenset(
    [
        KIND, PARAMETERS, "llm.system", "llm.provider", "llm.model_name", "llm.request.model_name",
        "llm.response.model_name", "llm.finish_reason", "llm.cost.total",
        "llm.prompt_template.version", "session.id", "user.id", "error.type",
    ]
)  # fmt: skip
KEPT = attribute_filter(DROPPED, FIELDS)


class OpenInference(WithoutEvents):
    """See `Convention`."""

    name = "openinference"
    markers = frozenset([KIND])
    fill_prefixes = FILL_PREFIXES
    authoritative_fields = NO_AUTHORITATIVE_FIELDS

    def role_of(self, span: OtlpSpan) -> Role | None:
        role = role_of_kind(span.attributes.get(KIND), CALLS)
        return STEP if role is CALL and its_texts.is_preparation(span.attributes) else role

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        readers = _readers_of(own)
        parameters = _parameters(own)
        answer = its_texts.answer_of(own)
        texts = its_texts.texts_of(own, answer, readers.messages)
        metadata = metadata_of_answer(answer)
        failed = span.failed and not texts.outputs
        usage = usage_of_answer(answer) if isinstance(answer, Mapping) else CallFields()
        model = read.text(own, "llm.model_name")
        requested = read.text(parameters, "model", "model_name") or read.text(own, "llm.request.model_name")
        responded = read.text(own, "llm.response.model_name")
        own_fields = readers.fields(own)
        return interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=read.text(own, "llm.finish_reason") or texts.finish_reason or metadata.status,
            streamed=parameters.get("stream") is True,
            reason_expected=has_finish_reason_field(answer),
            conversation=readers.conversation(own, inherited),
            user=readers.user(own, inherited),
            kept=kept_by_name(span, context, readers.kept),
            metadata=metadata,
            fields=CallFields(
                response_id=metadata.id,
                provider=own_fields.get("provider"),
                request_model=requested or model,
                response_model=None
                if failed
                else metadata.model or responded or (model if model != requested else None),
                system_fingerprint=metadata.fingerprint,
                prompt_id=readers.prompt(own, inherited).value,
                prompt_version=readers.version(own, inherited).value,
                input_tokens=own_fields.get("input_tokens"),
                output_tokens=own_fields.get("output_tokens"),
                cached_input_tokens=own_fields.get("cached_input_tokens", usage.get("cached_input_tokens")),
                reasoning_tokens=own_fields.get("reasoning_tokens", usage.get("reasoning_tokens")),
                cost_usd=own_fields.get("cost_usd"),
                ttft_ms=ms_to_event(span, FIRST_CHUNK_EVENT) if span.events else None,
                temperature=read.number(parameters, "temperature"),
                top_p=read.number(parameters, "top_p", "topP"),
                max_tokens=read.count(parameters, *TOKEN_LIMITS),
                seed=read.whole(parameters, "seed"),
            ),
        )


class _Readers(NamedTuple):
    """The readers of spans with the same attribute names."""

    messages: Plan
    fields: ReadFields
    conversation: ReadNamed
    user: ReadNamed
    prompt: ReadNamed
    version: ReadNamed
    kept: tuple[str, ...]


def _readers(names: tuple[str, ...]) -> _Readers:
    present = dict.fromkeys(names)
    return _Readers(
        messages=plan_of(names),
        fields=fields_reader(present, OWN_FIELDS),
        conversation=named_reader(present, CONVERSATION),
        user=named_reader(present, USER),
        prompt=named_reader(present, PROMPT),
        version=named_reader(present, VERSION),
        kept=KEPT(present),
    )


_readers_of = cached_by_names(_readers)


def _parameters(own: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the request parameters; empty when they are truncated or hidden."""
    found = json_of(own, PARAMETERS)
    return found if isinstance(found, Mapping) else {}
