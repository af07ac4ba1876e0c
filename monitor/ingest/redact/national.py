"""National ids by country, each with its check where one exists."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from monitor.domain.redaction import Kind, Locale
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.checksums import bsn, codice_fiscale, dni, nir, ssn, steuer_id
from monitor.ingest.redact.match import Hit, has_word_before, stands_alone

_NINO_NEVER: Final = ("BG", "GB", "NK", "KN", "TN", "NT", "ZZ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Id:
    """One kind of id. `named_by` are words of which one must precede the id, for an id without a strong check."""

    pattern: bytes
    holds: Callable[[str], bool]
    named_by: tuple[bytes, ...] = ()


def _nino(written: str) -> bool:
    return written[:2].upper() not in _NINO_NEVER


IDS: Final[Mapping[Locale, tuple[Id, ...]]] = {
    Locale.US: (
        Id(pattern=rb"\d{3}-\d{2}-\d{4}", holds=ssn),
        Id(pattern=rb"\d{3} ?\d{2} ?\d{4}", holds=ssn, named_by=(b"ssn", b"social security", b"itin", b"taxpayer")),
    ),
    Locale.GB: (Id(pattern=rb"[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]", holds=_nino),),
    Locale.DE: (Id(pattern=rb"\d{2} ?\d{3} ?\d{3} ?\d{3}", holds=steuer_id),),
    Locale.FR: (
        Id(pattern=rb"[1278] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[ABab]) ?\d{3} ?\d{3} ?\d{2}", holds=nir),
    ),
    Locale.ES: (Id(pattern=rb"\d{8}[ -]?[A-Za-z]|[XYZxyz]-?\d{7}-?[A-Za-z]", holds=dni),),
    Locale.NL: (
        Id(pattern=rb"\d{9}|\d{4}\.\d{2}\.\d{3}", holds=bsn, named_by=(b"bsn", b"burgerservice", b"sofi")),
    ),
    Locale.IT: (
        Id(pattern=rb"[A-Za-z]{6}\d{2}[A-EHLMPRSTa-ehlmprst]\d{2}[A-Za-z]\d{3}[A-Za-z]", holds=codice_fiscale),
    ),
}  # fmt: skip


class NationalIds:
    """Finds the ids of some countries."""

    def __init__(self, locales: frozenset[Locale]) -> None:
        self._ids: list[tuple[Id, Any]] = [
            (known, compiled(known.pattern)) for locale in sorted(locales) for known in IDS[locale]
        ]

    def find(self, data: bytes) -> Iterator[Hit]:
        for known, pattern in self._ids:
            for match in pattern.finditer(data):
                start, end = match.span()
                written = data[start:end].translate(None, b" -.").decode().upper()
                if (
                    stands_alone(data, start, end)
                    and known.holds(written)
                    and (not known.named_by or has_word_before(data, start, known.named_by))
                ):
                    yield Hit(kind=Kind.NATIONAL_ID, start=start, end=end, value=written)


def shape(locales: frozenset[Locale]) -> bytes:
    return b"|".join(known.pattern for locale in sorted(locales) for known in IDS[locale])
