"""Langfuse's SDK (`langfuse.observation.*`): an observation of the type generation is a call."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from monitor.domain.interaction import Interaction, Status
from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.error_classes import OTHER, error_class
from monitor.ingest.conventions.evidence import evidence, which_stay
from monitor.ingest.conventions.provider_json import json_of
from monitor.ingest.conventions.provider_texts import texts_of_answer, texts_of_request
from monitor.ingest.conventions.provider_usage import said_by_usage
from monitor.ingest.conventions.roles import Role, role_of_kind
from monitor.ingest.conventions.served import served_by
from monitor.ingest.conventions.span_call import NOTHING_FILLED, Said, first_named, interaction_of, started_at
from monitor.ingest.conventions.texts import Texts, merged
from monitor.ingest.conventions.unread import note_unread
from monitor.ingest.conventions.without_events import WithoutEvents
from monitor.ingest.json_text import read_json
from monitor.ingest.otlp_records import OtlpSpan

TYPE = "langfuse.observation.type"
INPUT = "langfuse.observation.input"
OUTPUT = "langfuse.observation.output"
MODEL = "langfuse.observation.model.name"
CALLS = frozenset(["generation"])
NO_LIMIT = "Infinity"
BEGAN = "langfuse.observation.completion_start_time"
CONVERSATION = ("session.id", "langfuse.session.id")
USER = ("user.id", "langfuse.user.id")
PROMPT = ("driftd.prompt.id", "langfuse.observation.prompt.name")
VERSION = ("driftd.prompt.version", "langfuse.observation.prompt.version")
FIELDS = frozenset(
    [
        TYPE, MODEL, "langfuse.observation.model.parameters", "langfuse.observation.usage_details",
        "langfuse.observation.cost_details", BEGAN, "session.id", "user.id",
        "langfuse.observation.prompt.name", "langfuse.observation.prompt.version", "error.type",
        "langfuse.observation.metadata.finish_reason", "langfuse.observation.status_message",
    ]
)  # fmt: skip
STAYS = which_stay((INPUT, OUTPUT), FIELDS)


class Langfuse(WithoutEvents):
    """See `Convention`. The SDK overwrites the model that was asked for with the one that answered."""

    name = "langfuse"
    signs = frozenset([TYPE])
    fills_from = NOTHING_FILLED
    settled = frozenset(["cost_usd"])

    def role_of(self, span: OtlpSpan) -> Role | None:
        """A `span`, which is what an observation is called that nobody named, may be anything."""
        return role_of_kind(span.attributes.get(TYPE), CALLS)

    def read_call(self, span: OtlpSpan, context: CallContext) -> Interaction:
        own, around = span.attributes, context.inherited
        texts = _texts(own)
        asked = _parameters(own)
        first_token = own.get(BEGAN)
        model = read.text(own, MODEL)
        said = _usage(own)
        said["request_model"] = model
        told = served_by(own)
        said["response_model"] = None if span.failed else told.model or model
        said["system_fingerprint"] = told.fingerprint
        said["prompt_id"] = first_named(own, around, PROMPT).value
        said["prompt_version"] = first_named(own, around, VERSION).value
        said["cost_usd"] = _cost(own, failed=span.failed)
        said["ttft_ms"] = _ttft_ms(span, first_token)
        said["temperature"] = read.number(asked, "temperature")
        said["top_p"] = read.number(asked, "top_p")
        said["max_tokens"] = read.count(asked, "max_tokens", "max_completion_tokens", "max_output_tokens")
        said["seed"] = read.whole(asked, "seed")
        call = interaction_of(
            span,
            context,
            self.name,
            texts,
            reason=_reason(own) or texts.finish_reason,
            streamed=first_token is not None,
            conversation=first_named(own, around, CONVERSATION),
            user=first_named(own, around, USER),
            kept=evidence(span, context, STAYS),
            served=told,
            said=said,
        )
        return _with_error(call, own) if call.status is Status.ERROR else call


def _with_error(call: Interaction, own: Mapping[str, Any]) -> Interaction:
    """The SDK sends no exception, only what its message was."""
    said = read.text(own, "langfuse.observation.status_message")
    return replace(call, error_class=error_class(said)) if said and call.error_class == OTHER else call


def _texts(own: Mapping[str, Any]) -> Texts:
    asked, cut_in = _json(own.get(INPUT), INPUT)
    said, cut_out = _json(own.get(OUTPUT), OUTPUT)
    said = _as_answer(said)
    inputs = Texts() if asked in (None, "") else texts_of_request(asked)
    outputs = Texts() if said in (None, "") else texts_of_answer(said)
    return merged([Texts(cut=cut_in or cut_out, answer_cut=cut_out), inputs, outputs])


def _as_answer(said: Any) -> Any:
    """A message, the messages of all choices, or the items of a response, as the provider's answer would hold them."""
    items = said if isinstance(said, list) else [said]
    if any(isinstance(item, Mapping) and "type" in item for item in items):
        return {"output": items}
    return {"message": said} if isinstance(said, Mapping) and "role" in said else said


def _json(found: Any, what: str) -> tuple[Any, bool]:
    """The value and whether its JSON was cut off. A text that is no JSON is the text of one message."""
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


def _usage(own: Mapping[str, Any]) -> Said:
    """A provider's own words, or `input` and `output` where the application counted them."""
    details = _object(own, "langfuse.observation.usage_details")
    if not details:
        return Said()
    if "input" not in details and "output" not in details:
        return said_by_usage(details)
    return Said(
        input_tokens=_with_parts(details, "input"),
        output_tokens=_with_parts(details, "output"),
        cached_input_tokens=read.count(details, "cache_read_input_tokens", "input_cached_tokens", "input_cache_read"),
        reasoning_tokens=read.count(details, "reasoning_tokens", "output_reasoning_tokens", "output_reasoning"),
    )


def _with_parts(details: Mapping[str, Any], side: str) -> int | None:
    """The tokens of one side. Its parts (`input_cache_read`) are in it or beside it: the total says which."""
    told = read.count(details, side)
    counts = {name: read.count(details, name) or 0 for name in details if name != "total"}
    if told is None or read.count(details, "total") != sum(counts.values()):
        return told
    return told + sum(count for name, count in counts.items() if name.startswith(f"{side}_"))


def _cost(own: Mapping[str, Any], *, failed: bool) -> float | None:
    """Of a call that failed the SDK says it cost nothing, which it cannot know."""
    cost = read.number(_object(own, "langfuse.observation.cost_details"), "total", least=0.0)
    return None if failed and not cost else cost


def _reason(own: Mapping[str, Any]) -> str | None:
    """Of streams alone: JSON of a text."""
    found = read.text(own, "langfuse.observation.metadata.finish_reason")
    return found.strip('"') if found and found != "null" else None


def _ttft_ms(span: OtlpSpan, first_token: Any) -> float | None:
    if first_token is None:
        return None
    try:
        waited = datetime.fromisoformat(str(first_token).strip('"')) - started_at(span)
    except (ValueError, TypeError):
        note_unread(BEGAN, first_token)
        return None
    return max(waited.total_seconds() * 1000, 0.0)


def _parameters(own: Mapping[str, Any]) -> dict[str, Any]:
    """The SDK writes what was not set as the provider's default, and no limit as "Infinity"."""
    asked = _object(own, "langfuse.observation.model.parameters")
    return {name: value for name, value in asked.items() if value != NO_LIMIT}
