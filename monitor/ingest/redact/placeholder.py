"""The placeholder of a value. Equal values have equal placeholders for one kind and salt."""

import hashlib
import re
from typing import Final

from monitor.domain.redaction import Action, Kind
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.match import Hit

# Letters only: a digest cannot look like a number, so a redacted text stays unchanged when it is redacted again.
_LETTERS: Final = str.maketrans("0123456789", "ghijklmnop")
SHORT_LETTERS, LONG_LETTERS = 12, 32
PLACEHOLDER: Final = compiled(rb"<[a-z][a-z0-9_]*:[a-p]{12}>|[a-p]{32}")
_USER: Final = re.compile(r"user:[a-p]{32}")
_KEPT: Final = (Kind.CARD, Kind.IBAN)
_KEPT_CHARACTERS: Final = 4


class Salted:
    """BLAKE2b keyed with the salt of the installation."""

    def __init__(self, salt: bytes) -> None:
        self._key = hashlib.sha256(salt).digest()

    def digest(self, kind: str, value: str, letters: int = SHORT_LETTERS) -> str:
        """Return `letters` (an even number) letters from a to p, four bits each."""
        written = f"{kind}\\0{value}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(written, key=self._key, digest_size=letters // 2).hexdigest().translate(_LETTERS)

    def user(self, user_id: str) -> str:
        """Return the stored form of a user id. A stored form is returned unchanged."""
        return user_id if _USER.fullmatch(user_id) else f"user:{self.digest('user', user_id, LONG_LETTERS)}"

    def instead(self, hit: Hit, written: bytes, action: Action) -> bytes:
        """Return the replacement of `written`. It adds no quote and no backslash, so JSON stays valid."""
        if action is Action.DROP:
            return b""
        if action is Action.MASK:
            return _masked(hit, written)
        if action is Action.HASH:
            return self.digest(hit.kind, hit.value, LONG_LETTERS).encode()
        return f"<{hit.kind}:{self.digest(hit.kind, hit.value)}>".encode()


def _masked(hit: Hit, written: bytes) -> bytes:
    text = written.decode("utf-8", "replace")
    hidden_count = sum(c.isalnum() for c in text) - (_KEPT_CHARACTERS if hit.kind in _KEPT else 0)
    masked: list[str] = []
    for character in text:
        hidden = character.isalnum() and hidden_count > 0
        hidden_count -= character.isalnum()
        masked.append("*" if hidden else character)
    return "".join(masked).encode()
