"""Read feedback of LangSmith's client. The id of a run is a UUID, and its first half is the span id.

The same id posted again is an update. Verified with requests of langsmith 0.15.0; ids as in its
_internal/_otel_utils.py.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from monitor.domain.feedback import Feedback, Source
from monitor.errors import MalformedRecord
from monitor.ingest.feedback_shapes.annotation import (
    FAILURE_CATEGORY,
    Annotation,
    AnnotationTarget,
    category_in,
    hex_or_none,
)
from monitor.ingest.feedback_shapes.timestamp import at_text
from monitor.ingest.native.fields import Fields
from monitor.ingest.otlp.langsmith_run import span_id_of

FIELDS: Final = (
    "id", "run_id", "trace_id", "key", "score", "value", "comment", "correction", "feedback_source", "created_at",
    "extra",
)  # fmt: skip
CHANGEABLE: Final = ("score", "value", "correction", "comment")
KEPT: Final = (*FIELDS[:9], "created_at", "modified_at")  # fields that a client can read back, without names of persons
BY_SOURCE: Final[Mapping[str, Source]] = {"model": "system"}
PREFIX: Final = "langsmith-"


def of_feedback(raw: Any, now: datetime, *, only_revises: bool = False) -> Annotation:
    """Return the annotation. Raise MalformedRecord, which names the field."""
    if not isinstance(raw, Mapping):
        raise MalformedRecord("the body is not a JSON object")
    record = Fields({key: raw[key] for key in FIELDS if key in raw}, known=FIELDS)
    run, trace = _uuid(record, "run_id"), _uuid(record, "trace_id")
    if run is None and trace is None:
        raise MalformedRecord("feedback must name its subject by one of the fields run_id, trace_id")
    score, value = record.raw("score"), record.raw("value")
    source = record.mapping("feedback_source") or {}
    return Annotation(
        id=f"{PREFIX}{_needed_uuid(record, 'id')}",
        about=AnnotationTarget(
            trace_id=hex_or_none(trace.hex, 32) if trace else None,
            span_id=hex_or_none(span_of(run), 16) if run else None,
            interaction_id=f"{(trace or run).hex}:{span_id_of(run)}" if run else None,
        ),
        name=record.needed_text("key"),
        at=at_text(raw.get("modified_at") if only_revises else record.raw("created_at"), "created_at", now),
        number=None if isinstance(score, bool) else record.number("score"),
        flag=score if isinstance(score, bool) else None,
        label=value if isinstance(value, str) else None if value is None else json.dumps(value, ensure_ascii=False),
        comment=record.text("comment"),
        expected=expected_in(record.raw("correction")),
        source=BY_SOURCE.get(str(source.get("type"))),
        failure_category=_category(raw),
        record=_kept(raw, now),
        revisable=True,
        only_revises=only_revises,
    )


def span_of(run: UUID) -> str:
    """Return the span id of a run, which spans of other instrumentations have as their parent."""
    return run.hex[:16]


def given_out(item: Feedback) -> dict[str, Any]:
    """Return the feedback in LangSmith's JSON."""
    record = json.loads(item.record or "{}")
    return {"run_id": None, "trace_id": None, **record}


def with_changes(item: Feedback, patch: Mapping[str, Any], now: datetime) -> dict[str, Any]:
    """Return the stored feedback with the changed fields. Of two concurrent changes the later one wins."""
    new = {key: patch[key] for key in CHANGEABLE if key in patch}
    return {**json.loads(item.record or "{}"), **new, "modified_at": max(now, item.at).isoformat()}


def _category(raw: Mapping[str, Any]) -> str | None:
    source = raw.get("feedback_source")
    return category_in(source.get("metadata") if isinstance(source, Mapping) else None) or category_in(raw.get("extra"))


def _kept(raw: Mapping[str, Any], now: datetime) -> str:
    source = raw.get("feedback_source")
    kept_fields = {key: raw[key] for key in KEPT if raw.get(key) is not None}
    times = {key: raw.get(key) or now.isoformat() for key in ("created_at", "modified_at")}
    kind = {"feedback_source": {"type": source.get("type")}} if isinstance(source, Mapping) else {}
    category = _category(raw)
    extra = {"extra": {FAILURE_CATEGORY: category}} if category else {}
    return json.dumps({**kept_fields, **times, **kind, **extra}, ensure_ascii=False)


def expected_in(correction: Any) -> str | None:
    """Return the text of a correction: a text itself, the text of an only field, or JSON.

    >>> expected_in({"answer": "14 days"}), expected_in({"a": "x", "b": "y"}), expected_in(None)
    ('14 days', '{"a": "x", "b": "y"}', None)
    """
    if correction is None or correction == {} or isinstance(correction, str):
        return correction or None
    if isinstance(correction, Mapping) and len(correction) == 1:
        [only] = correction.values()
        if isinstance(only, str):
            return only or None
    return json.dumps(correction, ensure_ascii=False)


def _needed_uuid(record: Fields, field: str) -> UUID:
    found = _uuid(record, field)
    if found is None:
        raise MalformedRecord(f"field {field!r} is missing")
    return found


def _uuid(record: Fields, field: str) -> UUID | None:
    found = record.text(field)
    try:
        return None if found is None else UUID(found)
    except ValueError:
        raise MalformedRecord(f"field {field!r} is not a UUID") from None
