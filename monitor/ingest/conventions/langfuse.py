"""Langfuse's SDK (`langfuse.observation.*`): an observation of type generation is a call."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from monitor.domain.interaction import Interaction, Status
from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.error_classes import OTHER, error_class
from monitor.ingest.conventions.kept_attributes import attribute_filter, kept_attributes
from monitor.ingest.conventions.langfuse_usage import fields_of_usage_details
from monitor.ingest.conventions.provider.json_text import json_of
from monitor.ingest.conventions.provider.texts import texts_of_answer, texts_of_request
from monitor.ingest.conventions.response_metadata import STATUSES, metadata_of_attributes
from monitor.ingest.conventions.roles import Role, role_of_kind
from monitor.ingest.conventions.span_call import NO_FILL_PREFIXES, NamedText, first_named, interaction_of, started_at
from monitor.ingest.conventions.texts.call_texts import Texts, merged
from monitor.ingest.conventions.unread import note_unread
from monitor.ingest.conventions.without_events import WithoutEvents
from monitor.ingest.json_text import read_json, storable_text
from monitor.ingest.spans import OtlpSpan

TYPE = "langfuse.observation.type"
INPUT = "langfuse.observation.input"
OUTPUT = "langfuse.observation.output"
MODEL = "langfuse.observation.model.name"
METADATA = "langfuse.observation.metadata."
LANGCHAIN_MODEL = f"{METADATA}ls_model_name"  # the request model, from LangChain
CALLS = frozenset(["generation"])
UNLIMITED = "Infinity"
USAGE = "langfuse.observation.usage_details"
LEVEL = "langfuse.observation.level"
FINISH_REASON = "langfuse.observation.metadata.finish_reason"  # of a stream
STATUS = "langfuse.observation.metadata.status"  # of a response
INSTRUCTIONS = "langfuse.observation.metadata.instructions"  # of a response whose input lacks them
COMPLETION_START = "langfuse.observation.completion_start_time"
CONVERSATION = ("session.id", "langfuse.session.id")
USER = ("user.id", "langfuse.user.id")
PROMPT = ("driftd.prompt.id", "langfuse.observation.prompt.name")
VERSION = ("driftd.prompt.version", "langfuse.observation.prompt.version")
FIELDS = frozenset(
    [
        TYPE, MODEL, "langfuse.observation.model.parameters", USAGE, LEVEL, FINISH_REASON, STATUS, INSTRUCTIONS,
        "langfuse.observation.cost_details", COMPLETION_START, "session.id", "user.id",
        "langfuse.observation.prompt.name", "langfuse.observation.prompt.version", "error.type",
        "langfuse.observation.status_message",
    ]
)  # fmt: skip
KEPT = attribute_filter((INPUT, OUTPUT), FIELDS)


class Langfuse(WithoutEvents):
    """See `Convention`. The SDK overwrites the request model with the response model."""

    name = "langfuse"
    markers = frozenset([TYPE])
    fill_prefixes = NO_FILL_PREFIXES
    authoritative_fields = frozenset(["cost_usd"])

    def role_of(self, span: OtlpSpan) -> Role | None:
        """An observation of type `span`, the default, may be anything."""
        return role_of_kind(span.attributes.get(TYPE), CALLS)

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, inherited = span.attributes, context.inherited
        if own.get(LEVEL) == "ERROR":
            span = replace(span, failed=True)  # not every SDK sets the status of the span
        texts = _texts(own)
        parameters = _parameters(own)
        first_token = own.get(COMPLETION_START)
        model = read.text(own, MODEL)
        fields = fields_of_usage_details(_object(own, USAGE))
        fields["request_model"] = _metadata(own, LANGCHAIN_MODEL) or model
        metadata = metadata_of_attributes(own)
        fields["response_model"] = None if span.failed else metadata.model or model
        fields["response_id"] = _response_id(own)
        fields["system_fingerprint"] = metadata.fingerprint
        fields["prompt_id"] = first_named(own, inherited, PROMPT).value
        fields["prompt_version"] = first_named(own, inherited, VERSION).value
        fields["cost_usd"] = _cost(own, failed=span.failed)
        fields["ttft_ms"] = _ttft_ms(span, first_token)
        fields["temperature"] = read.number(parameters, "temperature")
        fields["top_p"] = read.number(parameters, "top_p")
        fields["max_tokens"] = read.count(parameters, "max_tokens", "max_completion_tokens", "max_output_tokens")
        fields["seed"] = read.whole(parameters, "seed")
        call = interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=_metadata(own, FINISH_REASON) or texts.finish_reason or _response_status(own),
            streamed=first_token is not None,
            conversation=_named(own, inherited, CONVERSATION, f"{METADATA}langfuse_session_id"),
            user=_named(own, inherited, USER, f"{METADATA}langfuse_user_id"),
            kept=kept_attributes(span, context, KEPT),
            metadata=metadata,
            fields=fields,
        )
        return _with_error(call, own) if call.status is Status.ERROR else call


def _with_error(call: Interaction, own: Mapping[str, Any]) -> Interaction:
    """Classify the status message: the SDK sends no exception."""
    message = read.text(own, "langfuse.observation.status_message")
    return replace(call, error_class=error_class(message)) if message and call.error_class == OTHER else call


def _texts(own: Mapping[str, Any]) -> Texts:
    request, request_cut = _json(own.get(INPUT), INPUT)
    answer, answer_cut = _json(own.get(OUTPUT), OUTPUT)
    answer = _as_answer(answer)
    inputs = Texts() if request in (None, "") else texts_of_request(request)
    outputs = Texts() if answer in (None, "") else texts_of_answer(answer)
    instructions = _metadata(own, INSTRUCTIONS)
    system = (storable_text(instructions),) if instructions and not inputs.system else ()
    return merged([Texts(system=system, cut=request_cut or answer_cut, answer_cut=answer_cut), inputs, outputs])


def _as_answer(answer: Any) -> Any:
    """Convert a message, the messages of all choices or the items of a response to a provider's answer."""
    items = answer if isinstance(answer, list) else [answer]
    if any(isinstance(item, Mapping) and "type" in item for item in items):
        return {"output": items}
    is_message = isinstance(answer, Mapping) and ("role" in answer or "tool_calls" in answer)
    return {"message": {"role": "assistant", **answer}} if is_message else answer


def _json(found: Any, what: str) -> tuple[Any, bool]:
    """Return the value and whether its JSON is truncated. Text that is not JSON is the text of one message."""
    if not isinstance(found, str) or found[:1] not in ("{", "["):
        return found, False
    try:
        return read_json(found, what), False
    except MalformedRecord:
        return None, True


def _object(own: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    found = json_of(own, name)
    if isinstance(found, Mapping):
        return found
    if found is not None:
        note_unread(name, found)
    return {}


def _cost(own: Mapping[str, Any], *, failed: bool) -> float | None:
    """Return the cost. A failed call has a cost of 0 from the SDK, which is not known to be true."""
    cost = read.number(_object(own, "langfuse.observation.cost_details"), "total", least=0.0)
    return None if failed and not cost else cost


def _metadata(own: Mapping[str, Any], name: str) -> str | None:
    """Return JSON text decoded, or plain text unchanged."""
    found = read.text(own, name)
    if found is None or found[:1] != '"':
        return None if found == "null" else found
    try:
        return str(read_json(found, name))
    except MalformedRecord:
        return found


def _response_id(own: Mapping[str, Any]) -> str | None:
    """Return the id of a streamed response, which the SDK copies to the metadata without its output."""
    return _metadata(own, f"{METADATA}id") if _metadata(own, f"{METADATA}object") == "response" else None


def _response_status(own: Mapping[str, Any]) -> str | None:
    """Return a status of the Responses API; an application may use any other value."""
    found = _metadata(own, STATUS)
    return found if found in STATUSES else None


def _named(
    own: Mapping[str, Any], inherited: Mapping[str, Any], names: tuple[str, ...], metadata_name: str
) -> NamedText:
    """Read the name from metadata as well: LangChain's callback leaves it there when the call is the whole trace."""
    found = first_named(own, inherited, names)
    if found.value is None and (value := _metadata(own, metadata_name)):
        return NamedText(value, metadata_name)
    return found


def _ttft_ms(span: OtlpSpan, first_token: Any) -> float | None:
    if first_token is None:
        return None
    try:
        waited = datetime.fromisoformat(str(first_token).strip('"')) - started_at(span)
    except (ValueError, TypeError):
        note_unread(COMPLETION_START, first_token)
        return None
    return max(waited.total_seconds() * 1000, 0.0)


def _parameters(own: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters without unlimited ones, which the SDK writes as "Infinity"."""
    parameters = _object(own, "langfuse.observation.model.parameters")
    return {name: value for name, value in parameters.items() if value != UNLIMITED}
