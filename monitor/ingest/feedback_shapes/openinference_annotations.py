"""Read OpenInference annotations and evaluations in span attributes, on the span, its trace or its session.

The names are `annotations.N.annotation.*`, also with the prefixes `trace.` and `session.`, and the same with
`evaluations` and `evaluation`. Source: openinference-semantic-conventions 0.1.42, SpanAttributes.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.feedback_shapes.annotation import (
    BY_ANNOTATOR,
    Annotation,
    AnnotationTarget,
    category_in,
    digest,
    hex_or_none,
)
from monitor.ingest.feedback_shapes.timestamp import at_ns
from monitor.ingest.json_text import read_json
from monitor.ingest.spans import OtlpSpan

NAME: Final = re.compile(
    r"(?:(trace|session)\.)?(?:annotations|evaluations)\.(\d{1,9})\.(annotation|evaluation)\.(\w+)"
)
FIRST: Final = frozenset(
    f"{scope}{word}s.0.{word}.name" for scope in ("", "trace.", "session.") for word in ("annotation", "evaluation")
)


def may_stand_in(span: OtlpSpan) -> bool:
    """Return whether the span may have annotations. A quick check of names, because it runs for every span: numbers
    start at 0, and each annotation has a name.
    """
    return not FIRST.isdisjoint(span.attributes)


def of_span(span: OtlpSpan, now: datetime) -> Iterator[Annotation]:
    """Yield the numbered annotations in order."""
    found: dict[tuple[str, str, int], dict[str, Any]] = {}
    for key, value in span.attributes.items() if may_stand_in(span) else ():
        if parts := NAME.fullmatch(key):
            scope, number, word, field = parts.groups(default="span")
            found.setdefault((scope, word, int(number)), {})[field] = value
    for (scope, word, place), fields in sorted(found.items(), key=lambda pair: pair[0]):
        yield _feedback_of(span, scope, (word, place), fields, now)


def _feedback_of(
    span: OtlpSpan, scope: str, place: tuple[str, int], fields: Mapping[str, Any], now: datetime
) -> Annotation:
    kind = read.text(fields, "annotator_kind")
    identifier = read.text(fields, "identifier")
    name = read.text(fields, "name") or place[0]
    return Annotation(
        id=digest("annotation", span.trace_id, span.span_id, scope, name, identifier or place),
        about=_about(span, scope),
        name=name,
        at=at_ns(span.end_ns or span.start_ns, now),
        number=read.number(fields, "score"),
        label=read.text(fields, "label"),
        comment=read.text(fields, "explanation"),
        source=BY_ANNOTATOR.get((kind or "").upper()),
        failure_category=category_in(_metadata(fields.get("metadata"))),
    )


def _about(span: OtlpSpan, scope: str) -> AnnotationTarget:
    trace_id = hex_or_none(span.trace_id, 32)
    if scope == "session":
        conversation_id = read.text(span.attributes, "session.id")
        return (
            AnnotationTarget(conversation_id=conversation_id)
            if conversation_id
            else AnnotationTarget(trace_id=trace_id)
        )
    return AnnotationTarget(trace_id=trace_id, span_id=hex_or_none(span.span_id, 16) if scope == "span" else None)


def _metadata(found: Any) -> Any:
    try:
        return read_json(found, "the metadata") if isinstance(found, str) else found
    except MalformedRecord:
        return None
