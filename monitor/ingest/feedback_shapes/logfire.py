"""Read feedback from Logfire's `record_feedback`: a separate span below the span that it is about.

Attribute names from logfire 5.2.0, logfire/experimental/annotations.py.
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any, Final

from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.feedback_shapes.annotation import Annotation, AnnotationTarget, category_in, digest, hex_or_none
from monitor.ingest.feedback_shapes.timestamp import at_ns
from monitor.ingest.spans import OtlpSpan

NAME: Final = "logfire.feedback.name"
COMMENT: Final = "logfire.feedback.comment"


def is_feedback(span: OtlpSpan) -> bool:
    """Return whether the span is feedback. A quick check, because it runs for every span."""
    return NAME in span.attributes


def of_span(span: OtlpSpan, now: datetime) -> Iterator[Annotation]:
    """Yield the feedback, if any. The value is in the attribute with the feedback's own name."""
    if not is_feedback(span):
        return
    name = read.text(span.attributes, NAME)
    if not name:
        raise MalformedRecord(f"attribute {NAME} is not text")
    value: Any = span.attributes.get(name)
    about = hex_or_none(span.parent_span_id, 16)
    if about is None:
        raise MalformedRecord("a feedback span has no parent, so it has no subject")
    flag = value if isinstance(value, bool) else None
    yield Annotation(
        id=digest("logfire", span.trace_id, span.span_id),
        about=AnnotationTarget(trace_id=hex_or_none(span.trace_id, 32), span_id=about),
        name=name,
        at=at_ns(span.end_ns or span.start_ns, now),
        number=None if isinstance(value, bool | str) else read.number(span.attributes, name),
        flag=flag,
        label=value if isinstance(value, str) else None,
        comment=read.text(span.attributes, COMMENT),
        failure_category=category_in(span.attributes),
    )
