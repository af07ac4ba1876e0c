"""Read `gen_ai.evaluation.result` of the OpenTelemetry GenAI conventions, as a log event or as an event of a span."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from monitor.errors import MalformedRecord
from monitor.ingest.conventions import attributes as read
from monitor.ingest.feedback_shapes.annotation import Annotation, AnnotationTarget, category_in, digest, hex_or_none
from monitor.ingest.feedback_shapes.timestamp import at_ns
from monitor.ingest.spans import OtlpLog, OtlpSpan

EVENT: Final = "gen_ai.evaluation.result"
EVALUATES: Final = frozenset({"evaluate", "evaluation"})
SCORE: Final = "gen_ai.evaluation.score.value"
CONVERSATION: Final = ("gen_ai.conversation.id", "session.id")


def of_log(record: OtlpLog, now: datetime) -> Iterator[Annotation]:
    """Yield the evaluation in a log record, if it has one.

    Raise MalformedRecord when its score is unreadable and it has no other result.
    """
    if record.event_name == EVENT:
        attributes = _with_body(record)
        about = AnnotationTarget(
            trace_id=hex_or_none(record.trace_id, 32),
            span_id=hex_or_none(record.span_id, 16),
            response_id=read.text(attributes, "gen_ai.response.id"),
            conversation_id=read.text(attributes, *CONVERSATION),
        )
        yield _feedback_of(attributes, about, record.time_ns, now)


def of_span(span: OtlpSpan, now: datetime) -> Iterator[Annotation]:
    """Yield the evaluations in the events of a span. The subject is the span, unless the span is the evaluation itself.

    In that case only the keys in the event name the subject, and the trace when the evaluation is a step of it.
    """
    evaluates = read.one_of(span.attributes.get("gen_ai.operation.name"), EVALUATES)
    for event in span.events:
        if event.name == EVENT:
            about = AnnotationTarget(
                trace_id=None if evaluates and span.parent_span_id is None else hex_or_none(span.trace_id, 32),
                span_id=None if evaluates else hex_or_none(span.span_id, 16),
                response_id=read.text(event.attributes, "gen_ai.response.id"),
                conversation_id=read.text(event.attributes, *CONVERSATION) or read.text(span.attributes, *CONVERSATION),
            )
            yield _feedback_of(event.attributes, about, event.time_ns, now)


def _feedback_of(attributes: Mapping[str, Any], about: AnnotationTarget, time_ns: int, now: datetime) -> Annotation:
    failed = read.text(attributes, "error.type")
    explanation = read.text(attributes, "gen_ai.evaluation.explanation")
    number, label = read.number(attributes, SCORE), read.text(attributes, "gen_ai.evaluation.score.label")
    if attributes.get(SCORE) is not None and number is None and label is None and explanation is None:
        raise MalformedRecord(f"{SCORE} is not a finite number, and the event has no other result")
    return Annotation(
        id=digest("eval", about.trace_id, about.span_id, time_ns, dict(attributes)),
        about=about,
        name=read.text(attributes, "gen_ai.evaluation.name") or "evaluation",
        at=at_ns(time_ns, now),
        number=number,
        label=label,
        comment=f"the evaluation failed: {failed}" if failed and not explanation else explanation,
        expected=read.text(attributes, "driftd.expected"),
        source="user" if read.text(attributes, "user.id", "enduser.id") else None,
        failure_category=read.text(attributes, "driftd.failure_category") or category_in(attributes),
        attributes=attributes,
    )


def _with_body(record: OtlpLog) -> Mapping[str, Any]:
    """Return the attributes with the fields of the body: older senders write the fields there."""
    return {**record.body, **record.attributes} if isinstance(record.body, dict) else record.attributes
