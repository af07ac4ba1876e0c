"""Pydantic errors as sentences that describe the expected value."""

from collections.abc import Callable, Mapping
from typing import Any

Sentence = Callable[[Mapping[str, Any]], str]
_PATTERNS: Mapping[str, str] = {
    r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$": "must be a name: up to 64 letters, digits, '_', '.' or '-'",
    r"^https?://\S+$": "must be an address that begins with http:// or https://",
}


def _fixed(sentence: str) -> Sentence:
    return lambda _context: sentence


def _plural(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


_NUMBER, _WHOLE = _fixed("must be a number"), _fixed("must be a whole number")
_BOOL, _TEXT = _fixed("must be true or false"), _fixed("must be a text; put it in quotes")
_LIST, _SECTION = _fixed("must be a list: [a, b]"), _fixed("must be a section of keys and values")
_PATH = _fixed("must be a path")

SENTENCES: Mapping[str, Sentence] = {
    "greater_than": lambda c: f"must be above {c['gt']:g}",
    "greater_than_equal": lambda c: f"must be at least {c['ge']:g}",
    "less_than": lambda c: f"must be below {c['lt']:g}",
    "less_than_equal": lambda c: f"must be at most {c['le']:g}",
    "finite_number": _fixed("must be a finite number"),
    "int_type": _WHOLE,
    "int_parsing": _WHOLE,
    "int_parsing_size": _WHOLE,
    "int_from_float": _WHOLE,
    "float_type": _NUMBER,
    "float_parsing": _NUMBER,
    "bool_type": _BOOL,
    "bool_parsing": _BOOL,
    "string_type": _TEXT,
    "string_sub_type": _TEXT,
    "string_unicode": _fixed("contains a character that is not valid Unicode; remove it"),
    "string_too_short": lambda c: f"must have at least {_plural(c['min_length'], 'character', 'characters')}",
    "string_too_long": lambda c: f"must have at most {_plural(c['max_length'], 'character', 'characters')}",
    "string_pattern_mismatch": lambda c: _PATTERNS.get(c["pattern"], f"must match the pattern {c['pattern']}"),
    "literal_error": lambda c: f"must be {c['expected']}",
    "enum": lambda c: f"must be {c['expected']}",
    "tuple_type": _LIST,
    "list_type": _LIST,
    "set_type": _LIST,
    "iterable_type": _LIST,
    "dict_type": _SECTION,
    "mapping_type": _SECTION,
    "model_type": _SECTION,
    "model_attributes_type": _SECTION,
    "path_type": _PATH,
    "path_format": _PATH,
    "is_instance_of": _fixed("is not of the expected kind; docs/config.md describes the key"),
    "none_required": _fixed("must be null or left out"),
    "too_short": lambda c: f"needs at least {_plural(c['min_length'], 'entry', 'entries')}",
    "too_long": lambda c: f"may have at most {_plural(c['max_length'], 'entry', 'entries')}",
}
UNKNOWN = "is not a valid value; docs/config.md describes the key"


def in_words(kind: str, context: Mapping[str, Any] | None) -> str:
    """Return the sentence for an error of this type.

    >>> in_words("less_than", {"lt": 1.0})
    'must be below 1'
    """
    sentence = SENTENCES.get(kind)
    return sentence(context or {}) if sentence else UNKNOWN
