"""Verify the chain of the audit log: find every entry that was changed, removed, added or moved."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final

from monitor.domain.audit import START, AuditEntry, AuditKind, Head, digest, head_of

MOST_BREAKS: Final = 100  # found in one verification; the first one is what matters
ACKNOWLEDGED_AT_ONCE: Final = 10  # numbers that fit into the object of one entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Break:
    """A broken link: the number of the entry that is wrong or missing, and the reason. `last` is the last entry of a
    gap.
    """

    number: int
    reason: str
    last: int | None = None

    @property
    def label(self) -> str:
        """Return what an acknowledgement records: a gap that becomes longer later is not acknowledged."""
        return f"{self.number}-{self.last or self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verification:
    """The result of a verification. `first` and `head` are None without an entry."""

    entries: int
    first: int | None
    head: Head | None
    breaks: tuple[Break, ...]
    acknowledged: tuple[Break, ...]

    @property
    def broken(self) -> Break | None:
        """Return the first broken link that no one has acknowledged."""
        return self.breaks[0] if self.breaks else None


class Verifier:
    """Reads the entries in the order of their numbers, once.

    `start` is the last entry that retention removed. `anchors` are heads that were recorded outside the table.
    """

    def __init__(self, start: Head = START, anchors: Sequence[Head] = ()) -> None:
        self._expected, self._anchors = start, [each for each in anchors if each.number > start.number]
        self._entries = 0
        self._first: int | None = None
        self._accepted: set[str] = set()

    def verify(self, entries: Iterable[AuditEntry]) -> Verification:
        found = list(islice(self._breaks(entries), MOST_BREAKS))
        return Verification(
            entries=self._entries,
            first=self._first,
            head=self._expected if self._entries else None,
            breaks=tuple(each for each in found if each.label not in self._accepted),
            acknowledged=tuple(each for each in found if each.label in self._accepted),
        )

    def _breaks(self, entries: Iterable[AuditEntry]) -> Iterator[Break]:
        for entry in entries:
            yield from self._link(entry)
            self._first = entry.number if self._first is None else self._first
            self._entries += 1
            self._expected = entry.head
        last = max((each.number for each in self._anchors), default=0)
        if last > self._expected.number:
            yield _missing(self._expected.number + 1, last)

    def _link(self, entry: AuditEntry) -> Iterator[Break]:
        """Yield what is wrong between the entry before and this one: missing entries, then one reason at most."""
        expected = self._expected.number + 1
        if entry.number > expected:
            yield _missing(expected, entry.number - 1)
        if reason := self._wrong(entry, follows=entry.number == expected):
            yield Break(number=entry.number, reason=reason)
        elif entry.action.kind is AuditKind.ACKNOWLEDGED:
            self._accepted.update((entry.action.object_id or "").split(","))

    def _wrong(self, entry: AuditEntry, *, follows: bool) -> str | None:
        if entry.number <= self._expected.number:
            return f"entry {entry.number} is there more than once"
        if digest(entry.number, entry.action, entry.previous) != entry.hash:
            return f"entry {entry.number} was changed: its content does not match its hash"
        if follows and entry.previous != self._expected.hash:
            return f"entry {entry.number} does not continue entry {entry.number - 1}: one of the two was replaced"
        if any(each.number == entry.number and each.hash != entry.hash for each in self._anchors):
            return f"entry {entry.number} was replaced: its hash was recorded differently outside the table"
        return None


def removed_until(checkpoint: AuditEntry | None) -> Head:
    """Return the last entry that retention removed before it wrote this checkpoint; START without one."""
    return (checkpoint and head_of(checkpoint.action.object_id or "")) or START


def _missing(first: int, last: int) -> Break:
    what = f"entry {first} is missing" if first == last else f"entries {first} to {last} are missing"
    return Break(number=first, last=last, reason=what)
