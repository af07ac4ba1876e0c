"""MLflow tracing over OTLP: attributes are JSON, `mlflow.spanType` is the span kind.

The outermost span has the tags of the request as `mlflow.traceTag.*`.
"""

from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.genai import shared_fields as genai_fields
from monitor.ingest.conventions.genai.attributes import MAPPED_ATTRIBUTES
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_attributes
from monitor.ingest.conventions.mlflow_texts import CHUNK, INPUTS, OUTPUTS, first_chunk, texts_of
from monitor.ingest.conventions.provider.json_text import json_of, read_provider_json
from monitor.ingest.conventions.provider.texts import has_finish_reason_field
from monitor.ingest.conventions.provider.usage import fields_of_usage, usage_of_answer
from monitor.ingest.conventions.response_metadata import metadata_of_answer
from monitor.ingest.conventions.roles import Role, role_of_kind
from monitor.ingest.conventions.span_call import (
    NO_AUTHORITATIVE_FIELDS,
    NO_FILL_PREFIXES,
    CallFields,
    NamedText,
    first_named,
    interaction_of,
    ms_to_event,
)
from monitor.ingest.conventions.without_events import WithoutEvents
from monitor.ingest.json_text import read_json
from monitor.ingest.spans import OtlpSpan

TYPE = "mlflow.spanType"
CALLS = frozenset(["CHAT_MODEL", "LLM"])  # as JSON text or plain text
USAGE = "mlflow.chat.tokenUsage"
COST = "mlflow.llm.cost"
MODEL = "mlflow.llm.model"
FORMAT = "mlflow.message.format"
TAG = "mlflow.traceTag."
LINKED = f"{TAG}mlflow.linkedPrompts"
CONVERSATION = ("mlflow.trace.session", f"{TAG}mlflow.trace.session", f"{TAG}session", *genai_fields.CONVERSATION)
USER = ("mlflow.trace.user", f"{TAG}mlflow.trace.user", f"{TAG}user", *genai_fields.USER)
VERSION = (f"{TAG}prompt_version", f"{TAG}prompt")
PARAMETERS = frozenset(
    ["model", "temperature", "top_p", "max_tokens", "max_completion_tokens", "max_output_tokens", "seed"]
)
DROPPED = ("mlflow.chat.tools", "mlflow.spanLogLevel", "mlflow.trace")
TEXTS = frozenset([INPUTS, OUTPUTS, "messages", "input", "contents", "prompt", "instructions", "system", "tools"])
FIELDS = MAPPED_ATTRIBUTES | TEXTS | {TYPE, USAGE, COST, MODEL, "user", *PARAMETERS, *CONVERSATION, *USER}
KEPT = attribute_filter(DROPPED, FIELDS)


class MLflow(WithoutEvents):
    """See `Convention`."""

    name = "mlflow"
    markers = frozenset([TYPE])
    fill_prefixes = NO_FILL_PREFIXES
    authoritative_fields = NO_AUTHORITATIVE_FIELDS

    def role_of(self, span: OtlpSpan) -> Role | None:
        kind = span.attributes.get(TYPE)
        return role_of_kind(kind.strip('"') if isinstance(kind, str) else None, CALLS)

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        request = read_provider_json(own.get(INPUTS), INPUTS)
        answer = read_provider_json(own.get(OUTPUTS), OUTPUTS)
        texts = texts_of(request, answer, span)
        is_complete = isinstance(request.value, Mapping) and not request.cut
        parameters = request.value if is_complete else _parameters(own)
        response = answer.value if isinstance(answer.value, Mapping) else first_chunk(span)
        fields = _fields(own, inherited, parameters, response)
        fields["ttft_ms"] = ms_to_event(span, CHUNK)
        return interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=texts.finish_reason,
            streamed=parameters.get("stream") is True,
            reason_expected=has_finish_reason_field(answer.value),
            conversation=_plain(first_named(own, inherited, CONVERSATION)),
            user=_user(own, inherited, parameters),
            kept=kept_attributes(span, context, KEPT),
            fields=fields,
        )


def _fields(
    own: Mapping[str, Any], inherited: Mapping[str, Any], parameters: Mapping[str, Any], answer: Mapping[str, Any]
) -> CallFields:
    metadata = metadata_of_answer(answer)
    fields = CallFields(
        response_id=metadata.id,
        provider=_plain(NamedText(read.text(own, FORMAT), FORMAT)).value,
        request_model=read.text(parameters, "model"),
        response_model=metadata.model or _plain(NamedText(read.text(own, MODEL), MODEL)).value,
        system_fingerprint=metadata.fingerprint,
        temperature=read.number(parameters, "temperature"),
        top_p=read.number(parameters, "top_p"),
        max_tokens=read.count(parameters, "max_tokens", "max_completion_tokens", "max_output_tokens"),
        seed=read.whole(parameters, "seed"),
    )
    fields.update(usage_of_answer(answer) or _usage(own))
    fields["prompt_id"], fields["prompt_version"] = _prompt(own, inherited)
    cost = json_of(own, COST)
    fields["cost_usd"] = read.number(cost, "total_cost", least=0.0) if isinstance(cost, Mapping) else None
    return fields


def _usage(own: Mapping[str, Any]) -> CallFields:
    usage = json_of(own, USAGE)
    return fields_of_usage(usage) if isinstance(usage, Mapping) else CallFields()


def _prompt(own: Mapping[str, Any], inherited: Mapping[str, Any]) -> tuple[str | None, str | None]:
    """Return the prompt that MLflow's registry linked, or a tag in the format `name/version`."""
    linked = _linked(first_named(own, inherited, (LINKED,)).value)
    if isinstance(linked, list) and linked and isinstance(linked[0], Mapping):
        return read.text(linked[0], "name"), read.text(linked[0], "version")
    name, slash, version = (_plain(first_named(own, inherited, VERSION)).value or "").rpartition("/")
    return name.removeprefix("prompts:/") or None if slash else None, version or None


def _linked(text: str | None) -> Any:
    """Return a decoded JSON list, also when the JSON is encoded twice; None when it is truncated."""
    try:
        linked = read_json(text, LINKED) if text else None
        return read_json(linked, LINKED) if isinstance(linked, str) else linked
    except MalformedRecord:
        return None


def _user(own: Mapping[str, Any], inherited: Mapping[str, Any], parameters: Mapping[str, Any]) -> NamedText:
    found = _plain(first_named(own, inherited, USER))
    return found if found.value else first_named(parameters, {}, ("user",))


def _parameters(own: Mapping[str, Any]) -> dict[str, Any]:
    """Read the parameters from attributes, which is needed when the request cannot be decoded."""
    return {name: json_of(own, name) for name in (*PARAMETERS, "stream") if name in own}


def _plain(text: NamedText) -> NamedText:
    """Remove the quotes of JSON text."""
    value = text.value
    if value is None or len(value) < 2 or not value[0] == '"' == value[-1]:
        return text
    try:
        return NamedText(str(read_json(value, str(text.source))), text.source)
    except MalformedRecord:
        return text
