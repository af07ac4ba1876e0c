"""Find IBANs by the length of the country and the check digits of ISO 13616."""

from collections.abc import Iterator
from typing import Final

from monitor.domain.redaction import Kind
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.checksums import mod_97
from monitor.ingest.redact.match import Hit, stands_alone

SHAPE: Final = rb"[A-Za-z]{2}\d{2}[ -]?[0-9A-Za-z]{4}[ -]?[0-9A-Za-z]{2,4}[ -]?\d"
_PATTERN: Final = compiled(rb"[A-Za-z]{2}\d{2}(?:[ -]?[0-9A-Za-z]){11,30}")
# Length by country, from the SWIFT IBAN registry.
LENGTHS: Final = {
    country: length
    for length, countries in {
        15: "NO", 16: "BE", 18: "DK FI FK FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK", 21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip


def find(data: bytes) -> Iterator[Hit]:
    for match in _PATTERN.finditer(data):
        start = match.start()
        end = _end(data, start, match.end())
        account = data[start:end].replace(b" ", b"").replace(b"-", b"").decode().upper()
        if len(account) == LENGTHS.get(account[:2]) and mod_97(account) and stands_alone(data, start, end):
            yield Hit(kind=Kind.IBAN, start=start, end=end, value=account)


def _end(data: bytes, start: int, most: int) -> int:
    """Return the end of the country's length. Words may follow after a space."""
    left = LENGTHS.get(data[start : start + 2].decode().upper(), 0)
    for place in range(start, most):
        if data[place] in b" -":
            continue
        left -= 1
        if left == 0:
            return place + 1
    return most
