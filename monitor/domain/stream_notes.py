"""Streams with two root spans: a request and a note of its end, each in its own trace.

Inside one trace `call_tree` decides. Across traces only an exact match counts: the same deployment, convention, model,
instructions and input, a request without a known answer, and a note without duration that begins after the request.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamReport:
    """A request, or the note of its end. Both have the same `input_key`.

    `kept` is the request that a note is linked to.
    """

    id: str
    is_note: bool
    input_key: str
    started_at: datetime
    response_id: str | None = None
    kept: str | None = None


def noted_requests(stream_reports: Iterable[StreamReport]) -> Mapping[str, str]:
    """Return the request of each note, by the note's id: the last earlier request that no other note has."""
    found: dict[str, str] = {}
    requests: dict[str, list[StreamReport]] = {}
    notes: list[StreamReport] = []
    for report in sorted(stream_reports, key=lambda h: (h.started_at, h.id)):
        (notes if report.is_note else requests.setdefault(report.input_key, [])).append(report)
    # Linked pairs go first: their request has the note's values already, so it may look complete.
    for note in sorted(notes, key=lambda n: n.kept is None):
        before = [r for r in requests.get(note.input_key, ()) if _may_be(r, note)]
        if before:
            found[note.id] = before[-1].id
            requests[note.input_key].remove(before[-1])
    return found


def _may_be(request: StreamReport, note: StreamReport) -> bool:
    if note.kept is not None:
        return note.kept == request.id
    two_responses = request.response_id and note.response_id and request.response_id != note.response_id
    return request.started_at <= note.started_at and not two_responses
