"""Decode `{"type": "feedback", …}` to a Feedback."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from monitor.domain.feedback import Feedback, FeedbackKind
from monitor.errors import MalformedRecord
from monitor.feedback.correction import is_correction
from monitor.ingest.native.fields import SPAN_ID, TRACE_ID, Fields, hex_id

KEYS = ("interaction_id", "trace_id", "response_id", "conversation_id")
FIELDS = (
    "type", "id", "deployment", *KEYS, "span_id", "at", "kind", "value", "comment", "expected", "failure_category",
    "source",
)  # fmt: skip
SOURCES = ("user", "reviewer", "system")


def read_feedback(raw: Mapping[str, Any], *, derived_id: str, now: datetime, default_deployment: str) -> Feedback:
    """Return the feedback. `source` is `user` by default. At least one key must name the subject of the feedback."""
    record = Fields(raw, known=FIELDS)
    if not any(record.text(key) for key in KEYS):
        raise MalformedRecord(f"a feedback must name its subject by one of the fields {', '.join(KEYS)}")
    kind = _kind(record)
    found = Feedback(
        id=record.text("id") or derived_id,
        deployment=record.text("deployment") or default_deployment,
        at=record.time("at"),
        received_at=now,
        kind=kind,
        source=record.choice("source", SOURCES) or "user",
        value=_value(record, kind),
        text=record.needed_text("value") if kind is FeedbackKind.EDIT else None,
        comment=record.text("comment"),
        expected=record.text("expected"),
        failure_category=record.text("failure_category"),
        interaction_id=record.text("interaction_id"),
        trace_id=hex_id(record.text("trace_id"), "trace_id", TRACE_ID),
        span_id=hex_id(record.text("span_id"), "span_id", SPAN_ID),
        response_id=record.text("response_id"),
        conversation_id=record.text("conversation_id"),
    )
    return replace(found, is_correction=is_correction(found))


def _kind(record: Fields) -> FeedbackKind:
    found = record.choice("kind", [kind.value for kind in FeedbackKind])
    if found is None:
        raise MalformedRecord("field 'kind' is missing")
    return FeedbackKind(found)


def _value(record: Fields, kind: FeedbackKind) -> float | None:
    """Return -1 or 1 for a thumb, 0 to 1 for a rating. The value of an edit is its text; the other kinds have none."""
    if kind is FeedbackKind.EDIT:
        return None
    found = record.number("value")
    if kind is FeedbackKind.THUMB and found not in (-1.0, 1.0):
        raise MalformedRecord("field 'value' of a thumb is not -1 or 1")
    if kind is FeedbackKind.RATING and (found is None or not 0.0 <= found <= 1.0):
        raise MalformedRecord("field 'value' of a rating is not a number from 0 to 1")
    if kind not in (FeedbackKind.THUMB, FeedbackKind.RATING) and found is not None:
        raise MalformedRecord(f"a {kind.value} has no field 'value'; use 'comment' for its text")
    return found
