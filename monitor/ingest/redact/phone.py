"""Find phone numbers: with a plus and a country code, and national formats by country.

Google's numbering plans (the library phonenumbers) decide what is a number. Digits without a plus or a separator count
only after a word such as "phone", because order numbers look the same.
"""

import re
from collections.abc import Iterator
from typing import Final

from monitor.domain.redaction import Kind, Locale
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.match import Hit, has_word_before, stands_alone

_GAP: Final = rb"(?:[ .()/-]|\xc2\xa0|\xe2\x80[\x80-\xaf]){0,3}"
SHAPE: Final = rb"\d(?:" + _GAP + rb"\d){6}"
_PATTERN: Final = compiled(rb"[+(]{0,2}\d(?:" + _GAP + rb"\d){6,16}")
_NO_PHONE: Final = re.compile(
    rb"\d{4}[-./]\d{1,2}[-./]\d{1,2}.*|\d{1,2}[-./ ]\d{1,2}[-./ ](?:19|20)\d{2}.*|(?:19|20)\d{2} ?- ?(?:19|20)\d{2}"
    rb"|97[89][ -].*|\d{1,3}(?:\.\d{1,3}){3}|\d+\.\d+|\d{3}-\d{2}-\d{4}"  # dates, ISBN, IP, fractions, SSN
)
_NO_DIGITS: Final = bytes(set(range(256)) - set(b"0123456789"))
_AMOUNT: Final = re.compile(rb"\d{1,3}(?:[ .]\d{3})+")
_WORDS: Final = (
    b"phone", b"tel", b"call", b"mobil", b"cell", b"fax", b"whatsapp", b"sms", b"handy", b"ruf", b"gsm", b"bel ",
    b"llam", b"ll\xc3\xa1m", b"cellulare", b"portable", b"text me", b"reach me", b"number is",
)  # fmt: skip
# Prefix and lengths of national numbers. Most digits fail this test, so the plan is not needed.
_BEGINS: Final = {
    Locale.US: (("2", "3", "4", "5", "6", "7", "8", "9", "1"), (10, 11)),
    Locale.GB: (("01", "02", "03", "07", "08"), (10, 11)),
    Locale.DE: (("0",), (7, 8, 9, 10, 11, 12, 13)),
    Locale.FR: (("0",), (10,)),
    Locale.ES: (("6", "7", "8", "9"), (9,)),
    Locale.NL: (("0",), (10,)),
    Locale.IT: (("0", "3"), (8, 9, 10, 11)),
}


class Phones:
    def __init__(self, locales: frozenset[Locale]) -> None:
        self._by_digits: dict[int, list[tuple[Locale, tuple[str, ...]]]] = {}
        for locale in sorted(locales):
            begins, lengths = _BEGINS[locale]
            for digits in lengths:
                self._by_digits.setdefault(digits, []).append((locale, begins))

    def find(self, data: bytes) -> Iterator[Hit]:
        for match in _PATTERN.finditer(data):
            if not _may_be(data, *match.span()):
                continue
            for start, end in _spans(data, *match.span()):
                written = data[start:end]
                if not stands_alone(data, start, end) or _NO_PHONE.fullmatch(written):
                    continue
                number = self._number(data, start, written)
                if number is not None:
                    yield Hit(kind=Kind.PHONE, start=_without_open(data, start, end), end=end, value=number)
                    break

    def _number(self, data: bytes, start: int, written: bytes) -> str | None:
        """Return the number in E.164, or None."""
        text = written.decode("utf-8", "replace")
        digits = written.translate(None, _NO_DIGITS).decode()
        if "+" in text or digits.startswith("00"):
            return _international("+" + digits.removeprefix("00"))
        separated = not written.isdigit() and not _AMOUNT.fullmatch(written)
        if not separated and not has_word_before(data, start, _WORDS):
            return None
        for locale, begins in self._by_digits.get(len(digits), ()):
            if digits.startswith(begins) and (found := _national(digits, locale)) is not None:
                return found
        return None


def _may_be(data: bytes, start: int, end: int) -> bool:
    """Return the result of the quick test, without the numbering plans."""
    written = data[start:end]
    if written.isdigit() and not written.startswith(b"00"):
        return has_word_before(data, start, _WORDS)
    return _NO_PHONE.fullmatch(written) is None


def _spans(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the whole range, then without the first part and without the last part at a space: `2 415-555-2671`."""
    yield start, end
    first, last = data.find(b" ", start, end), data.rfind(b" ", start, end)
    if first >= 0:
        yield first + 1, end
        yield start, last


def _international(digits: str) -> str | None:
    import phonenumbers  # 0.02 s, and most processes see no number
    from phonenumbers import NumberParseException, ValidationResult

    try:
        number = phonenumbers.parse(digits, None)
    except NumberParseException:
        return None
    possible = phonenumbers.is_possible_number_with_reason(number) == ValidationResult.IS_POSSIBLE
    return digits if possible and len(digits) > 8 else None


def _national(digits: str, locale: Locale) -> str | None:
    """Return the number in E.164 when the numbering plan of the country has it."""
    import phonenumbers
    from phonenumbers import NumberParseException, PhoneNumberFormat

    try:
        number = phonenumbers.parse(digits, locale.value)
    except NumberParseException:
        return None
    if not phonenumbers.is_valid_number_for_region(number, locale.value):
        return None
    return phonenumbers.format_number(number, PhoneNumberFormat.E164)


def _without_open(data: bytes, start: int, end: int) -> int:
    """Return the start after a bracket that opens before the number and does not close inside it."""
    lonely = data[start : start + 1] == b"(" and b")" not in data[start:end]
    return start + 1 if lonely else start
