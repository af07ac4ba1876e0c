"""Find private values in a text: one scan with a single automaton selects the kinds, and exact checks
follow for these.
"""

import ipaddress
from collections.abc import Callable, Iterator
from typing import Any, Final

from monitor.domain.redaction import Action, Kind
from monitor.ingest.redact import cards, email, iban, ip, national, phone, tokens
from monitor.ingest.redact.automaton import NEVER, any_of, compiled
from monitor.ingest.redact.match import Hit
from monitor.ingest.redact.placeholder import PLACEHOLDER
from monitor.ingest.redact.rules import Rules
from monitor.ingest.redact.shapes import Shapes

Find = Callable[[bytes], Iterator[Hit]]
ESCAPE: Final = rb"\\u00[2-7]"  # a JSON escape of a printable ASCII character


class Finder:
    """Finds the kinds that `rules` redact. With `identifier`, the text is an id, where a run of digits
    is not a number.
    """

    def __init__(self, rules: Rules, *, identifier: bool = False) -> None:
        self._rules = rules
        steps = [*_own(rules), *_known(rules, identifier=identifier)]
        self._steps = [find for _, find in steps]
        shapes = [shape for shape, _ in steps]
        self._gate = any_of([*shapes, ESCAPE])
        self.shapes = Shapes([*shapes, ESCAPE])
        self._allowed = [compiled(pattern.encode()) for pattern in rules.allow_patterns]
        self._allow = frozenset(value.casefold() for value in rules.allow)

    def looks(self, data: bytes) -> list[int]:
        """Return the kinds that `data` may have. For nearly every text it is empty, after a few microseconds."""
        found: list[int] = self._gate.Match(data) or []
        return found

    def has_escapes(self, looks: list[int]) -> bool:
        return len(self._steps) in looks

    def find(self, data: bytes, looks: list[int]) -> list[Hit]:
        """Return the hits in order, without placeholders. Of two overlapping hits the first kind wins."""
        hits: list[Hit] = []
        taken: bytearray | None = None  # one byte for each byte of a hit or a placeholder
        for find in (self._steps[look] for look in sorted(looks) if look < len(self._steps)):
            for hit in find(data):
                if taken is None:
                    taken = _placeholders_in(data)
                free = hit.start < hit.end and taken.find(1, hit.start, hit.end) < 0
                if free and not self._is_allowed(hit, data):
                    hits.append(hit)
                    _mark(taken, hit.start, hit.end)
        return sorted(hits, key=lambda hit: hit.start)

    def _is_allowed(self, hit: Hit, data: bytes) -> bool:
        written = data[hit.start : hit.end].decode("utf-8", "replace")
        if {hit.value.casefold(), written.casefold()} & self._allow:
            return True
        if any(p.fullmatch(value.encode()) is not None for p in self._allowed for value in (hit.value, written)):
            return True
        if hit.kind != Kind.IP:
            return False
        address = ipaddress.ip_address(hit.value)
        return any(address in network for network in self._rules.allow_networks)


def _known(rules: Rules, *, identifier: bool) -> Iterator[tuple[bytes, Find]]:
    """Yield the kinds in order of precedence: those with stronger checks come first."""
    kinds: dict[str, tuple[bytes, Find]] = {
        Kind.TOKEN: (tokens.SHAPE, tokens.find),
        Kind.EMAIL: (email.SHAPE, email.find),
        Kind.IBAN: (iban.SHAPE, iban.find),
        Kind.CARD: (cards.SHAPE, cards.find),
        Kind.NATIONAL_ID: (national.shape(rules.locales) or NEVER, national.NationalIds(rules.locales).find),
        Kind.IP: (ip.SHAPE, ip.find),
        Kind.PHONE: (phone.SHAPE, phone.Phones(rules.locales).find),
    }
    wanted = (Kind.TOKEN, Kind.EMAIL) if identifier else tuple(kinds)
    for kind in wanted:
        if rules.action(kind) is not Action.KEEP:
            yield kinds[kind]


def _own(rules: Rules) -> Iterator[tuple[bytes, Find]]:
    for name, pattern in rules.patterns.items():
        if rules.action(name) is not Action.KEEP:
            yield pattern.encode(), _finds(name, compiled(pattern.encode()))


def _finds(kind: str, pattern: Any) -> Find:
    def find(data: bytes) -> Iterator[Hit]:
        for match in pattern.finditer(data):
            value = match.group().decode("utf-8", "replace")
            yield Hit(kind=kind, start=match.start(), end=match.end(), value=value)

    return find


def _placeholders_in(data: bytes) -> bytearray:
    taken = bytearray(len(data))
    for match in PLACEHOLDER.finditer(data):
        _mark(taken, *match.span())
    return taken


def _mark(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\1" * (end - start)
