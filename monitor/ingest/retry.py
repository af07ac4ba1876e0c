"""Decode a dead letter again, after its cause is removed: a limit, a decoder of an older version, a wrong field."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction
from monitor.errors import Conflict, MalformedRecord
from monitor.ingest.json_text import read_json
from monitor.ingest.limits import Limits
from monitor.ingest.native.record import decode_record
from monitor.ingest.normalize.replay_echo import STRIPPED
from monitor.store.traffic.dead_letters import DeadLetter

NATIVE: Final = frozenset({"http", "file", "kafka"})  # sources that receive native records
SPAN: Final = frozenset({"traceId", "spanId", "resourceSpans", "resourceLogs"})  # fields of OTLP
FEEDBACK: Final = frozenset({"interaction_id", "kind"})  # fields that only feedback has


class NotRetryable(Conflict):
    """The dead letter has no complete native record, so decoding it again cannot succeed."""

    code = "not_retryable"


def record_of(letter: DeadLetter) -> Mapping[str, Any]:
    """Return the native record of a dead letter. Raise NotRetryable, with the reason, if it has none."""
    if letter.source not in NATIVE:
        raise NotRetryable(_why(f"the source {letter.source!r} does not deliver native records"))
    if letter.raw == STRIPPED:
        raise NotRetryable(_why("it had texts of a replay, which are not stored"))
    if letter.raw_bytes is not None and letter.raw_bytes > len(letter.raw):
        raise NotRetryable(_why(f"only the first {len(letter.raw)} of {letter.raw_bytes} bytes are stored"))
    try:
        found = read_json(letter.raw, "the record")
    except MalformedRecord as error:
        raise NotRetryable(_why(str(error))) from None
    if not isinstance(found, dict):
        raise NotRetryable(_why("it is not one JSON object"))
    if SPAN.intersection(found):
        raise NotRetryable(_why("it is a span or log record of OTLP without its resource"))
    return found


def decoded_again(
    letter: DeadLetter,
    corrected: Mapping[str, Any] | None,
    *,
    now: datetime,
    default_deployment: str,
    limits: Limits,
) -> Interaction | Feedback:
    """Return the record of a dead letter, or the corrected record in its place.

    Raise NotRetryable if the dead letter has no complete record, and MalformedRecord if the record is still invalid.
    A record without `type` is feedback if it has a field of feedback.
    """
    record = dict(record_of(letter) if corrected is None else corrected)
    record.setdefault("type", "feedback" if FEEDBACK.intersection(record) else "interaction")
    return decode_record(record, now, default_deployment, letter.source, limits)


def readable(letter: DeadLetter) -> str:
    """Return the stored bytes as text, JSON with indents."""
    text = letter.raw.decode("utf-8", "replace")
    try:
        return json.dumps(json.loads(text), ensure_ascii=False, indent=2)
    except (ValueError, RecursionError):
        return text


def _why(reason: str) -> str:
    return f"this dead letter cannot be retried: {reason}; correct the record at its sender and send it again"
