"""A stream in two root spans: its request, and a note of its end, each in a trace of its own.

Inside one trace `call_tree` decides. Between traces only an exact match does: same deployment, convention, model,
instructions and input, a request that no answer is known of, and a note without duration that begins after it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Half:
    """A request, or the note of an end. `asked` is the same for two of one request; `kept` what a note names now."""

    id: str
    is_note: bool
    asked: str
    started_at: datetime
    response_id: str | None = None
    kept: str | None = None


def noted_requests(halves: Iterable[Half]) -> Mapping[str, str]:
    """The request of each note, by the note's id: the last one before it that no other note belongs to."""
    found: dict[str, str] = {}
    requests: dict[str, list[Half]] = {}
    notes: list[Half] = []
    for half in sorted(halves, key=lambda h: (h.started_at, h.id)):
        (notes if half.is_note else requests.setdefault(half.asked, [])).append(half)
    # A pair that was found before stays one: it may have lost what filled it.
    for note in sorted(notes, key=lambda n: n.kept is None):
        before = [r for r in requests.get(note.asked, ()) if _may_be(r, note)]
        if before:
            found[note.id] = before[-1].id
            requests[note.asked].remove(before[-1])
    return found


def _may_be(request: Half, note: Half) -> bool:
    if note.kept is not None:
        return note.kept == request.id
    two_responses = request.response_id and note.response_id and request.response_id != note.response_id
    return request.started_at <= note.started_at and not two_responses
