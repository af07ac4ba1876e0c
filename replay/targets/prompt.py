"""The hash of a system prompt. The text itself is private."""

import hashlib
from functools import lru_cache
from typing import Final

from replay.normal_form import normal_form

_REMEMBERED_CHARS: Final = 16_384  # texts; together a few megabytes
_REMEMBERED: Final = 256


def prompt_hash(text: str) -> str:
    r"""Return the SHA-256 (hex) of the text in Unicode NFC without surrounding whitespace.

    The same prompt from a file, a configuration or a trace has the same hash.

    >>> prompt_hash("Answer yes or no.\n") == prompt_hash("Answer yes or no.")
    True
    >>> len(prompt_hash(""))
    64
    """
    return _remembered(text) if len(text) <= _REMEMBERED_CHARS else _hash(text)


def _hash(text: str) -> str:
    return hashlib.sha256(normal_form(text).strip().encode("utf-8", "surrogatepass")).hexdigest()


_remembered: Final = lru_cache(_REMEMBERED)(_hash)  # most calls of a product have one of a few prompts
