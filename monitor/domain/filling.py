"""Fill the gaps of one report of a call from another report of the same call. Values that a report has are never
changed.
"""

from datetime import timedelta
from typing import Any, Final

from msgspec.structs import replace

from monitor.domain.interaction import ContentState, CostSource, FinishReason, Interaction, Status, UsageSource

Values = dict[str, Any]  # fields of an Interaction by name

_ALONE: Final = (
    "response_id", "provider", "request_model", "response_model", "system_fingerprint", "input_tokens", "output_tokens",
    "cached_input_tokens", "reasoning_tokens", "ttft_ms", "temperature", "top_p", "max_tokens", "seed", "category",
)  # fmt: skip
_COMPARED: Final = (*_ALONE[:10], "cost_usd", *_ALONE[11:14], "prompt_id", "prompt_version", "finish_reason")
_NO_TEXTS: Final = (ContentState.REDACTED, ContentState.ABSENT)
_UNNAMED: Final = "_OTHER"  # the error type of a span without one
NOTHING: Final[frozenset[str]] = frozenset()


def gaps(call: Interaction, other: Interaction, authoritative_fields: frozenset[str] = NOTHING) -> Values:
    """Return the fields that `call` lacks and `other` has, with their values. Fields in `authoritative_fields` stay.

    A cost from a sender replaces a computed cost. Texts of a redacted report are not filled, and a redacted report
    fills none. Status and content state follow from the filled fields.
    """
    lacking = [name for name in _ALONE if getattr(call, name) is None]
    found: Values = {name: value for name in lacking if (value := getattr(other, name)) is not None}
    found |= _named(call, other) | _cost(call, other) | _error(call, other)
    if call.finish_reason is None and other.finish_reason is not None:
        found |= {"finish_reason": other.finish_reason, "finish_reason_raw": other.finish_reason_raw}
    if not call.duration_ms and other.duration_ms:  # a note has no duration
        found["duration_ms"] = other.duration_ms
    found |= _texts(call, other)
    found = {name: value for name, value in found.items() if name not in authoritative_fields}
    return found | _consequences(call, other, found)


def with_note(call: Interaction, note: Interaction) -> Interaction:
    """Return the call filled from the note of its end, with the duration up to that end."""
    ended_at = note.started_at + timedelta(milliseconds=note.duration_ms or 0.0)
    took_ms = (ended_at - call.started_at).total_seconds() * 1000
    return replace(call, **gaps(call, note) | {"duration_ms": took_ms})


def differences(call: Interaction, other: Interaction, authoritative_fields: frozenset[str] = NOTHING) -> Values:
    """Return the values of `other`, without texts, that differ from values of `call`."""
    return {
        name: value
        for name in _COMPARED
        if name not in authoritative_fields
        and (value := getattr(other, name)) is not None
        and (own := getattr(call, name)) is not None
        and own != value
    }


def _named(call: Interaction, other: Interaction) -> Values:
    found: Values = {}
    for what in ("conversation", "user"):
        if getattr(call, f"{what}_id") is None and getattr(other, f"{what}_id") is not None:
            found |= {f"{what}_id": getattr(other, f"{what}_id"), f"{what}_source": getattr(other, f"{what}_source")}
    if call.prompt_id is None and other.prompt_id is not None:
        found["prompt_id"] = other.prompt_id
    same_prompt = call.prompt_id is None or other.prompt_id in (None, call.prompt_id)
    if call.prompt_version is None and other.prompt_version is not None and same_prompt:
        found["prompt_version"] = other.prompt_version
    if not call.documents and other.documents:
        found["documents"] = other.documents
    return found


def _cost(call: Interaction, other: Interaction) -> Values:
    from_sender = call.cost_source is not CostSource.EMITTED and other.cost_source is CostSource.EMITTED
    if other.cost_usd is None or not (from_sender or call.cost_usd is None):
        return {}
    return {"cost_usd": other.cost_usd, "cost_source": other.cost_source, "price_table": other.price_table}


def _error(call: Interaction, other: Interaction) -> Values:
    if call.status is not Status.ERROR or other.status is not Status.ERROR:
        return {}
    if call.error_type not in (None, _UNNAMED) or other.error_type in (None, _UNNAMED):
        return {}
    return {"error_type": other.error_type, "error_class": other.error_class}


def _texts(call: Interaction, other: Interaction) -> Values:
    if call.content_state is ContentState.REDACTED or other.content_state in _NO_TEXTS:
        return {}
    found: Values = {}
    if call.system_prompt is None and other.system_prompt is not None:
        found |= {"system_prompt": other.system_prompt, "prompt_hash": call.prompt_hash or other.prompt_hash}
    if not call.input_messages and other.input_messages:
        found["input_messages"] = other.input_messages
    if not call.output_messages and other.output_messages and call.status is not Status.ERROR:
        found["output_messages"] = other.output_messages
    return found


def _consequences(call: Interaction, other: Interaction, found: Values) -> Values:
    implied: Values = {}
    status = _status(call, other, found)
    if status is not call.status:
        implied["status"] = status
    if not found.keys().isdisjoint(("system_prompt", "input_messages", "output_messages")):
        implied["content_state"] = _content_state(call, other, found)
    if not found.keys().isdisjoint(("input_tokens", "output_tokens")):
        implied["usage_source"] = UsageSource.EMITTED
    return implied


def _status(call: Interaction, other: Interaction, found: Values) -> Status:
    """Return the status of the filled call: from a finish reason, or from a stream that is known to have none."""
    if call.status is Status.ERROR:
        return Status.ERROR
    if (reason := found.get("finish_reason")) is not None:
        broken_off = reason is FinishReason.ERROR or other.status is Status.INCOMPLETE
        return Status.INCOMPLETE if broken_off else Status.OK
    unknown = call.finish_reason is None and not call.output_messages
    if unknown and found.get("output_messages") and other.status is not Status.ERROR:
        return other.status
    return Status.INCOMPLETE if unknown and other.status is Status.INCOMPLETE else call.status


def _content_state(call: Interaction, other: Interaction, found: Values) -> ContentState:
    if ContentState.TRUNCATED in (call.content_state, other.content_state):
        return ContentState.TRUNCATED
    inputs = call.input_messages or found.get("input_messages")
    outputs = call.output_messages or found.get("output_messages") or call.status is Status.ERROR
    return ContentState.FULL if inputs and outputs else ContentState.PARTIAL
