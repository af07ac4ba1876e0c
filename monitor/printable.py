"""Escape text from outside for a terminal or a log: characters that move the cursor or hide text."""

import re
from collections.abc import Mapping
from typing import Any, Final

# C0 and C1 controls with DEL, marks and overrides of direction, line and paragraph separators, byte order marks,
# and surrogates, which no encoding can write.
_HIDDEN: Final = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)
_SHORT: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def printable(text: str) -> str:
    r"""Return the text on one line, with its control characters escaped.

    >>> printable("gpt-4\x1b[31m\nFIRING")
    'gpt-4\\x1b[31m\\nFIRING'
    """
    return _HIDDEN.sub(_escaped, text)


def printable_lines(text: str) -> str:
    """Return the text with its line breaks, and every other control character escaped."""
    return "\n".join(map(printable, text.split("\n")))


def printable_json(document: str) -> str:
    """Return equivalent JSON text without control characters."""
    return "\n".join(_HIDDEN.sub(lambda found: f"\\u{ord(found.group()):04x}", line) for line in document.split("\n"))


def printable_values(value: Any) -> Any:
    """Return a JSON value with `printable` applied to every text in it."""
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, Mapping):
        return {key: printable_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [printable_values(item) for item in value]
    return value


def _escaped(found: re.Match[str]) -> str:
    character = found.group()
    if character in _SHORT:
        return _SHORT[character]
    return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"
