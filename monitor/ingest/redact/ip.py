"""Find IP addresses of versions 4 and 6."""

import ipaddress
from collections.abc import Iterator
from typing import Final

from monitor.domain.redaction import Kind
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.match import Hit, has_word_before, stands_alone

SHAPE: Final = (
    rb"\d\.\d{1,3}\.\d{1,3}\.\d|[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:[0-9A-Fa-f]{1,4}:|[0-9A-Fa-f]::[0-9A-Fa-f]|::ffff:\d"
)
_V4: Final = compiled(rb"\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}")
_V6: Final = compiled(rb"(?:[0-9A-Fa-f]{1,4}:|:){2,8}(?:\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|[0-9A-Fa-f]{1,4})?(?:::)?")
_VERSIONS: Final = (
    b"version",
    b"release",
    b"build",
    b"firmware",
    b"driver",
    b"chrome/",
    b"safari/",
    b"edg/",
    b"section",
)


def find(data: bytes) -> Iterator[Hit]:
    """Yield addresses, except loopback and the unspecified address."""
    for match in _V6.finditer(data):
        yield from _hit(data, *match.span())
    for match in _V4.finditer(data):
        if not has_word_before(data, match.start(), _VERSIONS, within=16):
            yield from _hit(data, *match.span())


def _hit(data: bytes, start: int, end: int) -> Iterator[Hit]:
    try:
        address = ipaddress.ip_address(data[start:end].decode())
    except ValueError:
        return
    if address.is_loopback or address.is_unspecified or not stands_alone(data, start, end):
        return
    if address.version == 6 and not any(c in b"0123456789" for c in data[start:end]):
        return  # a name in a program, such as dead::beef
    yield Hit(kind=Kind.IP, start=start, end=end, value=address.compressed)
