"""Find payment cards by scheme prefix, length, grouping and check digit."""

from collections.abc import Iterator
from typing import Final

from monitor.domain.redaction import Kind
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.checksums import luhn
from monitor.ingest.redact.match import Hit, stands_alone

SHAPE: Final = rb"\d{4}[ .-]\d{4}[ .-]\d{4}[ .-]\d|\d{4}[ -]\d{6}[ -]\d{4}|\d{13}"
_FOURS: Final = rb"\d{4} \d{4} \d{4} \d{4}(?: \d{3})?|\d{4}-\d{4}-\d{4}-\d{4}(?:-\d{3})?|\d{4}\.\d{4}\.\d{4}\.\d{4}"
_PATTERN: Final = compiled(_FOURS + rb"|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{13,19}")
_CVC: Final = 4  # bytes of a space and a group of three digits


def find(data: bytes) -> Iterator[Hit]:
    for match in _PATTERN.finditer(data):
        start, end = match.span()
        for stop in (end, end - _CVC):
            digits = data[start:stop].translate(None, b" -.").decode()
            if is_card(digits) and stands_alone(data, start, stop):
                yield Hit(kind=Kind.CARD, start=start, end=stop, value=digits)
                break


def is_card(digits: str) -> bool:
    """Return whether the digits have the prefix and a length of a card scheme (ISO/IEC 7812) and pass Luhn."""
    return len(digits) in _lengths(digits) and len(set(digits)) > 1 and luhn(digits)


def _lengths(digits: str) -> tuple[int, ...]:
    """Return the lengths of the scheme with this prefix; empty for none."""
    two, three, four = (int(digits[:n] or 0) for n in (2, 3, 4))
    schemes: tuple[tuple[bool, tuple[int, ...]], ...] = (
        (digits[:1] == "4", (13, 16, 19)),  # Visa
        (51 <= two <= 55 or 2221 <= four <= 2720, (16,)),  # Mastercard
        (two in (34, 37), (15,)),  # American Express
        (two in (36, 38, 39) or 300 <= three <= 305, (14, 16)),  # Diners Club
        (four == 6011 or two == 65 or 644 <= three <= 649, (16, 19)),  # Discover
        (3528 <= four <= 3589, (16,)),  # JCB
        (two == 62, (16, 17, 18, 19)),  # UnionPay
        (four in (5018, 5020, 5038, 5893, 6304, 6759, 6761, 6762, 6763), (13, 15, 16, 18, 19)),  # Maestro
    )
    return next((lengths for begins, lengths in schemes if begins), ())
