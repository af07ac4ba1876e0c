"""Unicode normal forms in linear time for any text.

`unicodedata.normalize` sorts each run of combining marks by insertion: a megabyte of marks takes minutes. The
Stream-Safe Text Format (UAX #15, section 13) allows 30 marks in a row and breaks longer runs with U+034F.
"""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, Literal

MOST_MARKS: Final = 30
BREAK: Final = "\N{COMBINING GRAPHEME JOINER}"
_LONG: Final = re.compile(rf"[^\x00-\x7f]{{{MOST_MARKS + 1},}}")  # where a run of more marks can be
Form = Literal["NFC", "NFKC"]


def normal_form(text: str, form: Form = "NFC") -> str:
    """Return the text in a normal form. A run of more than 30 combining marks is broken into runs of 30.

    >>> normal_form("Cafe\u0301")
    'Café'
    """
    if text.isascii():
        return text
    if any(_has_long_run(found.group()) for found in _LONG.finditer(text)):
        text = "".join(_broken(text))
    return unicodedata.normalize(form, text)


def _has_long_run(text: str) -> bool:
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MOST_MARKS:
            return True
    return False


def _broken(text: str) -> Iterator[str]:
    run = 0
    for character in text:
        run = run + 1 if unicodedata.combining(character) else 0
        if run > MOST_MARKS:
            yield BREAK
            run = 1
        yield character
