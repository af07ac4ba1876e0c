"""A place in a text that holds something private, and what its surroundings say about it.

Texts are searched as UTF-8 bytes; offsets are bytes.
"""

from dataclasses import dataclass
from typing import Final

_WORD: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_ESCAPES: Final = frozenset(b"nrtbf")
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_BACKSLASH: Final = ord("\\")
_JOINED: Final = {ord("-"): _WORD, ord("."): frozenset(b"0123456789")}  # what goes on behind them


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """`value` is what was found in one spelling, so that two ways of writing it give one placeholder."""

    kind: str
    start: int
    end: int
    value: str


def stands_alone(data: bytes, start: int, end: int) -> bool:
    r"""No letter or digit touches it, no number goes on behind a dot or dash; `\n` of a JSON text is no letter."""
    return not _goes_on_before(data, start) and not _goes_on_after(data, end)


def past_escape(data: bytes, start: int) -> int:
    r"""Where the text begins when a backslash is before it: `\nanna@…` begins at the a, and JSON in JSON stays JSON."""
    if start == 0 or data[start - 1] != _BACKSLASH:
        return start
    if data[start : start + 1] == b"u" and _HEX.issuperset(data[start + 1 : start + 5]):
        return start + 5
    return start + 1 if data[start] in _ESCAPES else start


def told_before(data: bytes, start: int, words: tuple[bytes, ...], within: int = 40) -> bool:
    """One of `words` (lower case) stands in the `within` bytes before."""
    before = data[max(0, start - within) : start].lower()
    return any(word in before for word in words)


def _goes_on_before(data: bytes, start: int) -> bool:
    if start == 0:
        return False
    before = data[start - 1]
    if before in _WORD:
        return past_escape(data, start - 1) != start
    return start > 1 and data[start - 2] in _JOINED.get(before, b"")


def _goes_on_after(data: bytes, end: int) -> bool:
    if end >= len(data):
        return False
    if data[end] in _WORD:
        return True
    return end + 1 < len(data) and data[end + 1] in _JOINED.get(data[end], b"")
