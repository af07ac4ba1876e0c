"""One spelling for equal content: canonical JSON, the digest of a text, the hash that names a revision."""

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
    """The same JSON value with every string, keys too, in Unicode NFC."""
    if isinstance(value, str):
        return normal_form(value)
    if isinstance(value, dict):
        return {normal_form(key): normalize(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [normalize(item) for item in value]
    return value


def canonical_json(value: Any) -> str:
    """JSON with sorted keys, NFC strings and no spaces: equal values give equal text.

    >>> canonical_json({"b": 1, "a": ["é"]})
    '{"a":["é"],"b":1}'
    """
    return json.dumps(normalize(value), sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def canonical_case(case: Case) -> str:
    """The canonical JSON of one case: what is hashed and what is stored."""
    return canonical_json(case_to_json(case))


def question_text(text: str) -> str:
    """A question as it is compared: NFC, no surrounding whitespace, U+FFFD for each lone surrogate."""
    return _without_surrogates(normal_form(text)).strip()


def _without_surrogates(text: str) -> str:
    """Replace what UTF-8 cannot write, as ingest does before it stores a text."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    return text


def text_digest(text: str) -> str:
    """SHA-256 in hexadecimal of the text as it is compared (NFC, stripped)."""
    return hashlib.sha256(question_text(text).encode()).hexdigest()


def revision_hash(cases: Iterable[Case]) -> str:
    """The name of a revision: SHA-256 over the canonical cases, one a line, in order of their ids.

    The order in which the cases are given does not enter; any other difference does.
    """
    digest = hashlib.sha256()
    for case in sorted(cases, key=lambda case: normal_form(case.id)):
        digest.update(canonical_case(case).encode())
        digest.update(b"\n")  # no canonical case holds a bare newline, so lines cannot be split otherwise
    return digest.hexdigest()
