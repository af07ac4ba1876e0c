"""Build the interaction of a model call from its span, its texts and the fields that a convention read."""

import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple, TypedDict

from monitor.domain.interaction import CostSource, FinishReason, Interaction, Status, UsageSource
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.attributes import INT64_MAX, LARGEST
from monitor.ingest.conventions.base import CallContext
from monitor.ingest.conventions.error_classes import CLASS, OTHER, error_class, error_class_of_message
from monitor.ingest.conventions.finish_reasons import finish_reason
from monitor.ingest.conventions.response_metadata import ResponseMetadata, metadata_of_attributes
from monitor.ingest.conventions.texts.call_texts import Texts, content_state
from monitor.ingest.conventions.unread import note_unread
from monitor.ingest.spans import OtlpSpan

UNFINISHED_STATUSES = frozenset(
    ["in_progress", "queued", "incomplete", "cancelled"]
)  # statuses of OpenAI's responses that have not ended
CANCELLATIONS = frozenset(
    ["GeneratorExit", "CancelledError"]
)  # the application stopped reading; the model did not fail
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
HEX = re.compile(r"[0-9a-f]+")
CALL_ID = re.compile(r"(?!0{32})[0-9a-f]{32}:(?!0{16})[0-9a-f]{16}")
_OK, _ERROR, _INCOMPLETE = Status.OK, Status.ERROR, Status.INCOMPLETE  # attribute access on an enum is slow
_FAILED = FinishReason.ERROR
_USAGE_EMITTED, _COST_EMITTED = UsageSource.EMITTED, CostSource.EMITTED


class CallFields(TypedDict, total=False):
    """The fields that a convention may read. A field that is missing or None is unknown."""

    response_id: str | None
    provider: str | None
    request_model: str | None
    response_model: str | None
    system_fingerprint: str | None
    prompt_id: str | None
    prompt_version: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_input_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: float | None
    ttft_ms: float | None
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    seed: int | None


class NamedText(NamedTuple):
    """A text and the name of the attribute that it came from."""

    value: str | None
    source: str | None


NO_TEXT = NamedText(None, None)
NO_FILL_PREFIXES: Final[tuple[str, ...]] = ()  # of a convention that reads only the spans that it recognizes
NO_AUTHORITATIVE_FIELDS: Final[frozenset[str]] = frozenset()  # of a convention whose None means unknown


def interaction_of(
    span: OtlpSpan,
    context: CallContext,
    convention: str,
    texts: Texts,
    *,
    reason: str | None,
    streamed: bool,
    reason_expected: bool = False,
    conversation: NamedText,
    user: NamedText,
    kept: Mapping[str, Any],
    fields: CallFields,
    metadata: ResponseMetadata | None = None,
) -> Interaction:
    """Return the interaction of a span. Raise MalformedRecord for a wrong id or start time.

    `streamed`: the span shows that the answer was streamed; a time to the first token shows it, too.
    `metadata`: the metadata of the answer, from a convention that has read it; otherwise the attributes are searched.
    `reason_expected`: this shape of answer has a finish reason when it is complete.
    """
    ended = finish_reason(reason)
    if reason is not None and not span.failed and not span.attributes.get("error.type"):
        status, error_type, failure = status_of_reason(reason, ended), None, None
    else:
        is_streamed = streamed or fields.get("ttft_ms") is not None
        interrupted = is_streamed and not _counts_whole_answer(texts, fields.get("output_tokens"))
        no_answer = _has_no_answer(texts, fields)
        incomplete = interrupted or texts.answer_cut or (reason_expected and bool(texts.outputs)) or no_answer
        raised = no_answer and reason is None and any(event.name == "exception" for event in span.events)
        status = _ERROR if raised else _status(span, reason, incomplete=incomplete)
        error_type, failure = error_of(span) if status is _ERROR else (None, None)
    read: dict[str, Any] = {
        name: value
        for name, value in fields.items()
        if type(value) is str or (value is not None and _is_readable(name, value))
    }
    model, fingerprint = read.get("response_model"), read.get("system_fingerprint")
    if metadata is None and status is not _ERROR and (model is None or fingerprint is None):
        found = metadata_of_attributes(span.attributes)
        read |= {"response_model": model or found.model, "system_fingerprint": fingerprint or found.fingerprint}
    read["error_type"], read["error_class"] = error_type, failure
    return call_with(
        read,
        span,
        context,
        convention,
        texts,
        reason=reason,
        ended=ended,
        status=status,
        conversation=conversation,
        user=user,
        kept=kept,
    )


def call_with(
    values: dict[str, Any],
    span: OtlpSpan,
    context: CallContext,
    convention: str,
    texts: Texts,
    *,
    reason: str | None,
    ended: FinishReason | None,
    status: Status,
    conversation: NamedText,
    user: NamedText,
    kept: Mapping[str, Any],
) -> Interaction:
    """Return the interaction with `values`, which are fields by name, and add the other fields to them.

    Raise MalformedRecord for a wrong id or start time.
    """
    trace_id, span_id, start_ns, end_ns = span.trace_id, span.span_id, span.start_ns, span.end_ns
    if "input_tokens" in values or "output_tokens" in values:
        values["usage_source"] = _USAGE_EMITTED
    if "cost_usd" in values:
        values["cost_source"] = _COST_EMITTED
    values["conversation_id"], values["conversation_source"] = conversation
    values["user_id"], values["user_source"] = user
    return Interaction(
        id=_id(trace_id, span_id),
        deployment=context.deployment,
        started_at=started_at(span),
        received_at=context.received_at,
        source="otlp",
        convention=convention,
        duration_ms=(end_ns - start_ns) / 1e6 if end_ns >= start_ns else None,
        trace_id=trace_id,
        span_id=span_id,
        parent_span_id=span.parent_span_id,
        system_prompt=texts.system_prompt,
        input_messages=texts.inputs,
        output_messages=texts.outputs,
        finish_reason=ended,
        finish_reason_raw=reason,
        status=status,
        content_state=content_state(texts, status),
        attributes=kept,
        **values,
    )


def _is_readable(name: str, value: Any) -> bool:
    """Return whether the value can be stored. A sum or a conversion to milliseconds can leave the range."""
    kind = type(value)
    if (kind is int or kind is float) and -INT64_MAX <= value <= INT64_MAX:  # nearly every value
        return True
    if isinstance(value, int | float) and abs(value) > (INT64_MAX if kind is int else LARGEST):
        note_unread(name, value)
        return False
    return True


def first_named(own: Mapping[str, Any], inherited: Mapping[str, Any], names: Iterable[str]) -> NamedText:
    """Return the first of `names` that the span or a span above it has with a non-empty text."""
    for name in names:
        found = own.get(name)
        if found is None and inherited:
            found = inherited.get(name)
        if found is None:
            continue
        if isinstance(found, str | int | float) and found != "" and not isinstance(found, bool):
            return NamedText(str(found), name)
        if found != "":
            note_unread(name, found)
    return NO_TEXT


def ms_to_event(span: OtlpSpan, name: str) -> float | None:
    """Return the milliseconds from the start of the span to its first event whose name begins with `name`."""
    times = [event.time_ns for event in span.events if event.name.startswith(name)]
    return (min(times) - span.start_ns) / 1e6 if times and min(times) >= span.start_ns else None


def started_at(span: OtlpSpan) -> datetime:
    """Return the start of the span. Raise MalformedRecord when it is missing or out of range."""
    if span.start_ns <= 0:
        raise MalformedRecord("the span has no start time")
    try:
        return EPOCH + timedelta(microseconds=span.start_ns // 1000)
    except OverflowError:
        raise MalformedRecord("the span's start time is out of range") from None


def error_of(span: OtlpSpan) -> tuple[str, str | None]:
    """Return the error type of a span and its error class.

    When the type maps to `other`, the HTTP status decides, and then the message of the exception.
    """
    exception = next((event.attributes for event in span.events if event.name == "exception"), {})
    named = span.attributes.get("error.type") or exception.get("exception.type")
    error_type = CLASS.sub(r"\1", str(named)) if named else "_OTHER"
    failure = error_class(error_type)
    status = span.attributes.get("http.response.status_code")
    if failure == OTHER and status is not None:
        failure = error_class(str(status))
    message = exception.get("exception.message")
    if failure == OTHER and isinstance(message, str):
        failure = error_class_of_message(message)
    return error_type, failure


def _status(span: OtlpSpan, reason: str | None, *, incomplete: bool) -> Status:
    """Return the status. Many senders send no finish reason: then a call is complete unless `incomplete` is set."""
    if span.failed or span.attributes.get("error.type"):
        return _INCOMPLETE if error_of(span)[0].rsplit(".", 1)[-1] in CANCELLATIONS else _ERROR
    if reason is None:
        return _INCOMPLETE if incomplete else _OK
    return status_of_reason(reason, finish_reason(reason))


def status_of_reason(reason: str, ended: FinishReason | None) -> Status:
    """Return the status of a call without an error. `ended`: the finish reason in driftd's vocabulary."""
    return _INCOMPLETE if ended is _FAILED or reason in UNFINISHED_STATUSES else _OK


def _has_no_answer(texts: Texts, fields: CallFields) -> bool:
    """Return whether the span has the input but nothing of the answer: no text, no id, no token count."""
    if texts.outputs or not texts.inputs:
        return False
    return not any(fields.get(field) is not None for field in ("response_id", "input_tokens", "output_tokens"))


def _counts_whole_answer(texts: Texts, output_tokens: int | None) -> bool:
    """Return whether the output tokens of a streamed answer were counted at its end.

    Some providers also send a count at the start. A count below the number of words in the answer is such a count.
    """
    if output_tokens is None or not texts.outputs:
        return False
    return sum(len(message.content.split()) for message in texts.outputs) <= output_tokens


def _id(trace_id: str, span_id: str) -> str:
    call_id = f"{trace_id}:{span_id}"
    if not CALL_ID.fullmatch(call_id):  # check both ids at once, then find the wrong one
        call_id = f"{hex_id(trace_id, 32, 'trace id')}:{hex_id(span_id, 16, 'span id')}"
    return call_id


def hex_id(found: str, digits: int, what: str) -> str:
    """Return the id when it is lower-case hexadecimal and not all zero; otherwise raise MalformedRecord."""
    if len(found) != digits or not HEX.fullmatch(found) or not found.strip("0"):
        raise MalformedRecord(f"the {what} is not {digits} hexadecimal digits other than all zero")
    return found
