"""Find e-mail addresses in Latin, Greek and Cyrillic letters."""

from collections.abc import Iterator
from typing import Final

from monitor.domain.redaction import Kind
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.match import Hit, past_escape

SHAPE: Final = rb"[0-9A-Za-z_%+'\x80-\xff-]@[0-9A-Za-z\x80-\xff]"
_LETTER: Final = rb"(?:[0-9A-Za-z]|[\xc3-\xdf][\x80-\xbf])"
_PATTERN: Final = compiled(
    rb"(?:[0-9A-Za-z_.%+'-]|[\xc3-\xdf][\x80-\xbf])+@(?:(?:" + _LETTER + rb"|-)+\.)+"
    rb"(?:xn--[0-9A-Za-z-]+|(?:[A-Za-z]|[\xc3-\xdf][\x80-\xbf]){2,})"
)
_FILES: Final = (b".png", b".jpg", b".jpeg", b".gif", b".svg", b".webp", b".css", b".js", b".py")


def find(data: bytes) -> Iterator[Hit]:
    """Yield addresses with a domain. `git@host` and `icon@2x.png` are not addresses of a person."""
    for match in _PATTERN.finditer(data):
        start = past_escape(data, match.start())
        start += len(data[start : match.end()]) - len(data[start : match.end()].lstrip(b".'-"))
        address = data[start : match.end()]
        if address.startswith((b"@", b"git@")) or address.lower().endswith(_FILES):
            continue
        yield Hit(kind=Kind.EMAIL, start=start, end=match.end(), value=address.decode("utf-8", "replace").lower())
