"""The endpoint as an application: a question in, an answer out, without the protocol of a model.

    POST /ask       {"question": "...", "session": "s-1"}  ->  {"answer": "...", "served_by": {...}, "usage": {...}}
    POST /sessions  {}                                      ->  {"session": "s-1"}
    POST /ask       {"question": "...", "later": true}      ->  202 {"id": "a-1", "status": "working"}
    GET /answers/a-1                                        ->  "working" at the first poll, then the answer

A session is optional. A session that was never opened is refused.
"""

from collections import OrderedDict
from dataclasses import dataclass

from replay.errors import ReplayError
from replay.recorded.book import Served
from replay.recorded.wire import BadRequest, Json, read_object, recorded_at, synthetic_fingerprint

KEPT = 10_000  # open sessions, and answers that wait for a poll
LOOKS = 2


class NotThere(ReplayError):
    """The name does not exist."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    question: str
    later: bool


class RecordedSessions:
    """The open sessions, and the answers that wait for a poll."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[str, None] = OrderedDict()
        self._answers: OrderedDict[str, tuple[Served, int]] = OrderedDict()
        self._opened = self._kept = 0

    def open(self) -> str:
        self._opened += 1
        session = f"s-{self._opened}"
        self._sessions[session] = None
        while len(self._sessions) > KEPT:
            self._sessions.popitem(last=False)
        return session

    def read(self, body: bytes) -> Question:
        """Return the question. Raise BadRequest, or NotThere for a session that is not open."""
        document = read_object(body)
        question, session, later = document.get("question"), document.get("session"), document.get("later", False)
        if not isinstance(question, str) or not isinstance(later, bool):
            raise BadRequest("field 'question' must be a text, 'later' true or false", "question")
        if session is not None and not (isinstance(session, str) and session in self._sessions):
            raise NotThere("this session is not open; POST /sessions opens one")
        return Question(question=question, later=later)

    def keep(self, served: Served) -> str:
        """Store the answer for polling and return its id."""
        self._kept += 1
        name = f"a-{self._kept}"
        self._answers[name] = (served, 0)
        while len(self._answers) > KEPT:
            self._answers.popitem(last=False)
        return name

    def fetch(self, name: str) -> Served | None:
        """Return the answer from the second poll on, and None before."""
        if name not in self._answers:
            raise NotThere(f"there is no answer {name!r}")
        served, looks = self._answers[name]
        self._answers[name] = (served, looks + 1)
        return served if looks + 1 >= LOOKS else None


def answer_of(served: Served) -> Json:
    usage = {"input_tokens": served.answer.input_tokens, "output_tokens": served.answer.output_tokens}
    return {
        "answer": served.answer.text,
        "status": "done",
        "served_by": {"model": served.snapshot, "build": synthetic_fingerprint(served.snapshot)},
        "at": recorded_at(served).isoformat(),
        "usage": {**usage, "cost_usd": served.answer.cost_usd},
    }
