"""The name of a system prompt whose text must not travel."""

import hashlib
from functools import lru_cache
from typing import Final

from replay.normal_form import normal_form

_REMEMBERED_CHARS: Final = 16_384  # of a text; with so many of them some megabytes
_REMEMBERED: Final = 256


def prompt_hash(text: str) -> str:
    r"""SHA-256 (hex) of the text in Unicode NFC without the white space around it.

    The same prompt read from a file, typed into a config or seen in a trace gives the same hash.

    >>> prompt_hash("Answer yes or no.\n") == prompt_hash("Answer yes or no.")
    True
    >>> len(prompt_hash(""))
    64
    """
    return _remembered(text) if len(text) <= _REMEMBERED_CHARS else _hash(text)


def _hash(text: str) -> str:
    return hashlib.sha256(normal_form(text).strip().encode("utf-8", "surrogatepass")).hexdigest()


_remembered: Final = lru_cache(_REMEMBERED)(_hash)  # nearly every call of a product has one of a few prompts
