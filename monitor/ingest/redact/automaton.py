"""Compile patterns for RE2 over UTF-8 bytes. The time is linear in the text for every pattern, also for configured
ones.
"""

from collections.abc import Sequence
from typing import Any, Final

import re2

MEMORY_BYTES: Final = 64 * 2**20  # limit of an automaton's states; a full automaton is cleared
NEVER: Final = rb"[^\x00-\xff]"  # matches no byte


def compiled(pattern: bytes) -> Any:
    return re2.compile(pattern, _options())


def any_of(patterns: list[bytes]) -> Any:
    """Return one automaton for all patterns. Its `Match` returns the indices of the matching patterns, or None."""
    options = _options()
    options.never_capture = True
    found = re2.Set.SearchSet(options)
    for pattern in patterns:
        found.Add(pattern)
    found.Compile()
    return found


def union(patterns: Sequence[bytes]) -> Any:
    """Return one automaton for all patterns, whose `search` finds the first match of any. `^` and `$` match at a line.

    It has no groups, so names of groups may repeat.
    """
    options = _options()
    options.never_capture = True
    return re2.compile(b"|".join(b"(?m:" + pattern + b")" for pattern in patterns) or NEVER, options)


def _options() -> Any:
    """Return options with Latin-1, so that a byte is a character and a pattern can match bytes of a two-byte letter."""
    options = re2.Options()
    options.max_mem = MEMORY_BYTES
    options.encoding = re2.Options.Encoding.LATIN1
    options.log_errors = False
    return options
