"""`gen_ai.evaluation.result` of the OpenTelemetry GenAI conventions, as a log event and as an event of a span.

Source: semantic-conventions-genai, model/gen-ai/events.yaml.
"""

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
    """The evaluation that a log record is, if it is one.

    Raises MalformedRecord when its score cannot be read and it says nothing else.
    """
    if record.event_name == EVENT:
        attributes = _with_body(record)
        about = AnnotationTarget(
            trace_id=hex_or_none(record.trace_id, 32),
            span_id=hex_or_none(record.span_id, 16),
            response_id=read.text(attributes, "gen_ai.response.id"),
            conversation_id=read.text(attributes, *CONVERSATION),
        )
        yield _said(attributes, about, record.time_ns, now)


def of_span(span: OtlpSpan, now: datetime) -> Iterator[Annotation]:
    """The evaluations among a span's events. The span is what was evaluated, unless it is the evaluation itself:

    then the keys in the event alone say what is meant, and the trace when the evaluation is one step of it.
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
            yield _said(event.attributes, about, event.time_ns, now)


def _said(attributes: Mapping[str, Any], about: AnnotationTarget, time_ns: int, now: datetime) -> Annotation:
    failed = read.text(attributes, "error.type")
    explanation = read.text(attributes, "gen_ai.evaluation.explanation")
    number, label = read.number(attributes, SCORE), read.text(attributes, "gen_ai.evaluation.score.label")
    if attributes.get(SCORE) is not None and number is None and label is None and explanation is None:
        raise MalformedRecord(f"{SCORE} is no finite number, and nothing else says what the evaluation found")
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
    """Senders of before event attributes put the fields into the body."""
    return {**record.body, **record.attributes} if isinstance(record.body, dict) else record.attributes
