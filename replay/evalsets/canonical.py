"""Canonical forms: canonical JSON, the digest of a text, and the hash that names a revision."""

import hashlib
import json
import re
from collections.abc import Iterable
from typing import Any, Final

from replay.evalsets.case_codec import case_to_json
from replay.normal_form import normal_form
from replay.types import Case

_SURROGATE: Final = re.compile(r"[\ud800-\udfff]")


def normalize(value: Any) -> Any:
    """Return the same JSON value with every string and key in Unicode NFC."""
    if isinstance(value, str):
        return normal_form(value)
    if isinstance(value, dict):
        return {normal_form(key): normalize(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [normalize(item) for item in value]
    return value


def canonical_json(value: Any) -> str:
    """Return JSON with sorted keys, NFC strings and no spaces: equal values have equal text.

    >>> canonical_json({"b": 1, "a": ["é"]})
    '{"a":["é"],"b":1}'
    """
    return json.dumps(normalize(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_case(case: Case) -> str:
    """Return the canonical JSON of one case, which is hashed and stored."""
    return canonical_json(case_to_json(case))


def question_text(text: str) -> str:
    """Return a question in the form for comparison: NFC, no surrounding whitespace, U+FFFD for each lone surrogate."""
    return _without_surrogates(normal_form(text)).strip()


def _without_surrogates(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode. Ingest does the same before it stores a text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text


def text_digest(text: str) -> str:
    """Return the SHA-256 in hexadecimal of the text in the form for comparison (NFC, stripped)."""
    return hashlib.sha256(question_text(text).encode()).hexdigest()


def revision_hash(cases: Iterable[Case]) -> str:
    """Return the name of a revision: the SHA-256 of the canonical cases, one in each line, sorted by id.

    The given order of the cases does not matter. Any other difference changes the hash.
    """
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: normal_form(case.id)):
        digest.update(canonical_case(case).encode())
        digest.update(b"\n")  # no canonical case holds a bare newline, so lines cannot be split otherwise
    return digest.hexdigest()
