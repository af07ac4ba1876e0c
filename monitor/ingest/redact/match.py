"""A private value at a position of a text, and checks of the text around it.

Texts are searched as UTF-8 bytes, and offsets are in bytes.
"""

from dataclasses import dataclass
from typing import Final

_WORD: Final = frozenset(b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz")
_ESCAPES: Final = frozenset(b"nrtbf")
_HEX: Final = frozenset(b"0123456789abcdefABCDEF")
_BACKSLASH: Final = ord("\\")
_JOINED: Final = {ord("-"): _WORD, ord("."): frozenset(b"0123456789")}  # a number continues after these characters


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A hit. `value` is the normalized value: two spellings of it have the same placeholder."""

    kind: str
    start: int
    end: int
    value: str


def stands_alone(data: bytes, start: int, end: int) -> bool:
    r"""Return whether no letter, digit or longer number is adjacent. The `n` of an escaped `\n` in JSON is not a
    letter.
    """
    return not _goes_on_before(data, start) and not _goes_on_after(data, end)


def past_escape(data: bytes, start: int) -> int:
    r"""Return the start after an escape: `\nanna@…` starts at the a, so that JSON inside JSON stays valid."""
    if start == 0 or data[start - 1] != _BACKSLASH:
        return start
    if data[start : start + 1] == b"u" and _HEX.issuperset(data[start + 1 : start + 5]):
        return start + 5
    return start + 1 if data[start] in _ESCAPES else start


def has_word_before(data: bytes, start: int, words: tuple[bytes, ...], within: int = 40) -> bool:
    """Return whether one of `words` (lower case) is in the `within` bytes before."""
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
