"""RE2 over UTF-8 bytes: the time is linear in the text whatever the pattern is, an installation's own included."""

from typing import Any, Final

import re2

MEMORY_BYTES: Final = 64 * 2**20  # of an automaton's states at most; it starts anew when they are full


def compiled(pattern: bytes) -> Any:
    return re2.compile(pattern, _options())


def any_of(patterns: list[bytes]) -> Any:
    """One automaton for all: its `Match` gives the places in `patterns` of those that are found, or None."""
    options = _options()
    options.never_capture = True
    found = re2.Set.SearchSet(options)
    for pattern in patterns:
        found.Add(pattern)
    found.Compile()
    return found


def _options() -> Any:
    """Latin-1: a byte is a byte, so that a pattern can name those of a two-byte letter."""
    options = re2.Options()
    options.max_mem = MEMORY_BYTES
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options
