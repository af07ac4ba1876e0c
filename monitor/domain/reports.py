"""Reports of calls, and how to compare them. Every span that records a call is a report of it."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from monitor.domain.interaction import Interaction, Status

SLACK = timedelta(seconds=1)  # tolerance between two measurements of one call at different places
TEXT_CHARS = 2000  # compared characters of a text


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A span that records a call. `inputs` and `outputs` are the beginnings of the texts, None when
    they were not read.
    """

    id: str
    convention: str
    status: Status
    started_at: datetime
    ended_at: datetime
    span_id: str = ""
    parent_span_id: str | None = None
    response_id: str | None = None
    error_type: str | None = None
    counted: bool = False  # it has token counts
    inputs: str | None = None
    outputs: str | None = None
    has_messages: bool = False  # its answer has messages, possibly without text: a tool call

    @property
    def answered(self) -> bool:
        return bool(self.outputs) or self.has_messages

    @property
    def failed(self) -> bool:
        return self.status is Status.ERROR

    @property
    def is_moment(self) -> bool:
        """Return whether it has no duration, as a note of an instrumentation about a call has none."""
        return self.started_at == self.ended_at


def report_of(item: Interaction) -> Report:
    return Report(
        id=item.id,
        convention=item.convention,
        status=item.status,
        started_at=item.started_at,
        ended_at=item.started_at + timedelta(milliseconds=item.duration_ms or 0.0),
        span_id=item.span_id or "",
        parent_span_id=item.parent_span_id,
        response_id=item.response_id,
        error_type=item.error_type,
        counted=item.input_tokens is not None,
        inputs=item.input_text[:TEXT_CHARS],
        outputs=item.output_text[:TEXT_CHARS],
        has_messages=bool(item.output_messages),
    )


def same_texts(one: Report, other: Report) -> bool:
    return bool(one.inputs) and one.inputs == other.inputs and one.outputs == other.outputs


def overlap(one: Report, other: Report) -> bool:
    """Return whether both spans were open at the same time, with a tolerance of one second."""
    return one.started_at <= other.ended_at + SLACK and other.started_at <= one.ended_at + SLACK


def different_instrumentations(one: Report, other: Report) -> bool:
    """Return whether two instrumentations wrote the reports. Two equal questions of an application come from the same
    one.
    """
    written = [(r.convention, r.error_type, r.response_id is None) for r in (one, other)]
    return written[0] != written[1]


def preference(report: Report) -> tuple[bool, bool, datetime, str]:
    """Return a sort key, the smallest being the best: with response id, then with token counts, then the earliest."""
    return report.response_id is None, not report.counted, report.started_at, report.id
