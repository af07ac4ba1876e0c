"""Read annotations and notes of arize-phoenix clients on a span, a trace, a session or a document of a span.

The same name, target and identifier sent again is an update. Verified with requests of arize-phoenix-client 3.5.0.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from monitor.domain.feedback import Feedback
from monitor.errors import MalformedRecord
from monitor.ingest.feedback_shapes.annotation import (
    BY_ANNOTATOR,
    FAILURE_CATEGORY,
    Annotation,
    AnnotationTarget,
    category_in,
    digest,
    hex_or_none,
)
from monitor.ingest.native.fields import Fields

FIELDS: Final = (
    "name", "annotator_kind", "span_id", "trace_id", "session_id", "document_position", "result", "metadata",
    "identifier",
)  # fmt: skip
RESULT: Final = ("label", "score", "explanation")


def of_annotation(raw: Any, target: str, now: datetime) -> Annotation:
    """Return the annotation. `target` is the name of the field with the subject: span_id, trace_id or session_id."""
    record = Fields(_known(raw, FIELDS), known=FIELDS)
    result = Fields(_known(record.mapping("result"), RESULT), "result", known=RESULT)
    name, key = record.needed_text("name"), record.needed_text(target)
    kind = record.choice("annotator_kind", BY_ANNOTATOR) or "HUMAN"
    position = record.whole("document_position", least=0)
    label, number, explanation = result.text("label"), result.number("score"), result.text("explanation")
    if label is None and number is None and explanation is None:
        raise MalformedRecord("field 'result' has no label, score or explanation")
    about_document = f"document {position} of what was retrieved"
    return Annotation(
        id=digest("phoenix", target, key, name, record.text("identifier") or "", position),
        about=_about(target, key),
        name=name,
        at=now,
        number=number,
        label=label,
        comment=explanation if position is None else ": ".join(filter(None, (about_document, explanation))),
        source=BY_ANNOTATOR[kind],
        failure_category=category_in(record.mapping("metadata")),
        record=None if position is not None else kept(kind, record.text("identifier")),
        revisable=True,
        judges=position is None,
    )


def of_note(raw: Any, target: str, now: datetime) -> Annotation:
    """Return a note. Different notes have different ids; the same note sent again has the same id."""
    record = Fields(_known(raw, (target, "note")), known=(target, "note"))
    key, note = record.needed_text(target), record.needed_text("note")
    return Annotation(
        id=digest("phoenix", target, key, "note", note),
        about=_about(target, key),
        name="note",
        at=now,
        record=kept("HUMAN", None),
        comment=note,
        source="user",
    )


def kept(kind: str, identifier: str | None) -> str:
    """Return the fields for reading back that a feedback does not have."""
    return json.dumps({"annotator_kind": kind, "identifier": identifier or ""}, ensure_ascii=False)


def given_out(item: Feedback) -> dict[str, Any]:
    """Return the annotation in Phoenix's JSON. Of its metadata only the failure category is stored."""
    result = {"label": item.label, "score": item.score, "explanation": item.comment}
    return {
        **json.loads(item.record or "{}"),
        "id": item.id,
        "name": item.name,
        "span_id": item.span_id,
        "result": {key: value for key, value in result.items() if value is not None},
        "metadata": {FAILURE_CATEGORY: item.failure_category} if item.failure_category else {},
        "created_at": item.received_at.isoformat(),
        "updated_at": item.at.isoformat(),
        "source": "API",
        "user_id": None,
    }


def _about(target: str, key: str) -> AnnotationTarget:
    if target == "session_id":
        return AnnotationTarget(conversation_id=key)
    digits = 32 if target == "trace_id" else 16
    found = hex_or_none(key, digits)
    if found is None:
        raise MalformedRecord(f"field {target!r} is not {digits} hexadecimal digits other than all zero")
    return AnnotationTarget(trace_id=found) if target == "trace_id" else AnnotationTarget(span_id=found)


def _known(raw: Any, fields: tuple[str, ...]) -> Any:
    """Return the known fields, so that fields of newer clients cause no error."""
    return {key: raw[key] for key in fields if key in raw} if isinstance(raw, Mapping) else raw
