"""The table of all feedback formats inside OTLP records, and the search for them in a request."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import chain

from monitor.domain.feedback import Feedback
from monitor.errors import MalformedRecord
from monitor.ingest.feedback_shapes import evaluation_events, logfire, openinference_annotations
from monitor.ingest.feedback_shapes.annotation import Annotation, to_feedback
from monitor.ingest.normalize.deployments import DeploymentRules
from monitor.ingest.spans import BadRecord, OtlpLog, OtlpSpan

OF_LOGS = (evaluation_events.of_log,)
OF_SPANS = (evaluation_events.of_span, openinference_annotations.of_span, logfire.of_span)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundFeedback:
    """`alone` counts the records that contain only feedback."""

    feedback: tuple[Feedback, ...]
    bad: tuple[BadRecord, ...]
    alone: int


def feedback_in(
    spans: Sequence[OtlpSpan], logs: Sequence[OtlpLog], *, rules: DeploymentRules, now: datetime
) -> FoundFeedback:
    """Return the feedback of a request. It never raises because of the content of a record."""
    found: list[Feedback] = []
    bad: list[BadRecord] = []
    read = 0
    for record, annotations in _claimed(spans, logs, now):
        read += isinstance(record, OtlpLog) or logfire.is_feedback(record)
        deployment = rules.of_span(record.attributes, record.resource)
        try:
            found += [to_feedback(one, rules.scores, deployment=deployment, received_at=now) for one in annotations]
        except MalformedRecord as error:
            bad.append(_bad(record, error))
    return FoundFeedback(feedback=tuple(found), bad=tuple(bad), alone=read)


def _claimed(
    spans: Sequence[OtlpSpan], logs: Sequence[OtlpLog], now: datetime
) -> Iterator[tuple[OtlpLog | OtlpSpan, Iterable[Annotation]]]:
    """Yield the records whose names show feedback, each with its annotations, which are read lazily."""
    for log in logs:
        if log.event_name == evaluation_events.EVENT:
            yield log, chain.from_iterable(shape(log, now) for shape in OF_LOGS)
    for span in spans:
        if span.events or openinference_annotations.may_stand_in(span) or logfire.is_feedback(span):
            yield span, chain.from_iterable(shape(span, now) for shape in OF_SPANS)


def _bad(record: OtlpLog | OtlpSpan, error: MalformedRecord) -> BadRecord:
    raw = {"traceId": record.trace_id, "spanId": record.span_id, "attributes": dict(record.attributes)}
    return BadRecord(reason=f"feedback in OTLP: {error}", raw=raw, trace_id=record.trace_id)
