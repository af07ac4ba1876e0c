"""Read scores of Langfuse clients: numeric, boolean, categorical, text, or a correction.

The same id sent again is an update. Verified with requests of langfuse 5.0.4.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from monitor.domain.feedback import Source
from monitor.errors import MalformedRecord
from monitor.ingest.feedback_shapes.annotation import Annotation, AnnotationTarget, category_in, digest, hex_or_none
from monitor.ingest.feedback_shapes.timestamp import at_text
from monitor.ingest.native.fields import Fields

FIELDS: Final = (
    "id", "traceId", "sessionId", "observationId", "datasetRunId", "name", "value", "dataType", "comment", "metadata",
    "source", "timestamp",
)  # fmt: skip
TYPES: Final = ("NUMERIC", "BOOLEAN", "CATEGORICAL", "CORRECTION", "TEXT")
BY_SOURCE: Final[Mapping[str, Source]] = {"ANNOTATION": "reviewer", "EVAL": "system"}


def of_score(raw: Any, now: datetime) -> Annotation:
    """Return the annotation. Raise MalformedRecord, which names the field. Without `dataType`, text is a category and
    other values are numbers.
    """
    record = Fields(_known(raw), known=FIELDS)
    trace, session = record.text("traceId"), record.text("sessionId")
    if trace is None and session is None:
        raise MalformedRecord("a score must name its subject by one of the fields traceId, sessionId")
    value = record.raw("value")
    kind = record.choice("dataType", TYPES) or ("CATEGORICAL" if isinstance(value, str) else "NUMERIC")
    numeric = kind in ("NUMERIC", "BOOLEAN")
    number = _number(record, kind) if numeric else None
    words = None if numeric else record.needed_text("value")
    comment = record.text("comment")
    return Annotation(
        id=f"langfuse-{record.text('id')}" if record.text("id") else digest("langfuse", dict(raw)),
        about=AnnotationTarget(
            trace_id=_trace_id(trace),
            span_id=hex_or_none(record.text("observationId"), 16),
            conversation_id=session,
        ),
        name=record.needed_text("name"),
        at=at_text(record.raw("timestamp"), "timestamp", now),
        number=number if kind == "NUMERIC" else None,
        flag=bool(number) if kind == "BOOLEAN" else None,
        label=words if kind == "CATEGORICAL" else None,
        comment=": ".join(filter(None, (words, comment))) if kind == "TEXT" else comment,
        expected=words if kind == "CORRECTION" else None,
        source=BY_SOURCE.get(record.text("source") or "") or ("user" if kind == "TEXT" else None),
        failure_category=category_in(record.raw("metadata")),
        revisable=record.text("id") is not None,
    )


def _number(record: Fields, kind: str) -> float:
    value = record.raw("value")
    found = float(value) if kind == "BOOLEAN" and isinstance(value, bool) else record.number("value")
    if found is None:
        raise MalformedRecord("field 'value' is missing")
    if kind == "BOOLEAN" and found not in (0.0, 1.0):
        raise MalformedRecord("field 'value' of a BOOLEAN score is not 0 or 1")
    return found


def _trace_id(found: str | None) -> str | None:
    """Return an OpenTelemetry trace id, also from its UUID form. Any other trace name matches nothing."""
    return hex_or_none((found or "").replace("-", ""), 32) or found


def _known(raw: Any) -> Any:
    return {key: raw[key] for key in FIELDS if key in raw} if isinstance(raw, Mapping) else raw
