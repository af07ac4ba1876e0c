"""driftd's own finder with the default rules."""

from bench.redaction_study.sample import Span
from monitor.ingest.redact.finder import Finder
from monitor.ingest.redact.placeholder import Salted
from monitor.ingest.redact.rules import Rules
from monitor.ingest.redact.texts import Found, TextRedactor

_FINDER = Finder(Rules())
_TEXTS = TextRedactor(Rules(), Salted(b"of a bench"))


def find(text: str) -> list[Span]:
    data = text.encode()
    hits = _FINDER.find(data, _FINDER.looks(data))
    return [Span(kind=str(hit.kind), start=hit.start, end=hit.end) for hit in hits]


def redact(text: str) -> str:
    return _TEXTS.text(text, Found())
