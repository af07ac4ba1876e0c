"""What stands in the place of a value: of the same kind and salt, the same for the same value."""

import hashlib
import re
from typing import Final

from monitor.domain.redaction import Action, Kind
from monitor.ingest.redact.automaton import compiled
from monitor.ingest.redact.match import Hit

# Letters alone: no digest can be taken for a number, and a text that is redacted again stays as it is.
_LETTERS: Final = str.maketrans("0123456789", "ghijklmnop")
SHORT_LETTERS, LONG_LETTERS = 12, 32
PLACEHOLDER: Final = compiled(rb"<[a-z][a-z0-9_]*:[a-p]{12}>|[a-p]{32}")
_USER: Final = re.compile(r"user:[a-p]{32}")
_KEPT: Final = (Kind.CARD, Kind.IBAN)
_KEPT_CHARACTERS: Final = 4


class Salted:
    """BLAKE2b keyed with the installation's salt."""

    def __init__(self, salt: bytes) -> None:
        self._key = hashlib.sha256(salt).digest()

    def digest(self, kind: str, value: str, letters: int = SHORT_LETTERS) -> str:
        """`letters` (even) of a to p, four bits each."""
        written = f"{kind}\\0{value}".encode("utf-8", "surrogatepass")
        return hashlib.blake2b(written, key=self._key, digest_size=letters // 2).hexdigest().translate(_LETTERS)

    def user(self, user_id: str) -> str:
        """A user id as it is stored; one that is already so stays."""
        return user_id if _USER.fullmatch(user_id) else f"user:{self.digest('user', user_id, LONG_LETTERS)}"

    def instead(self, hit: Hit, written: bytes, action: Action) -> bytes:
        """What is stored for `written`. It holds no quote and no backslash that was not there: JSON stays JSON."""
        if action is Action.DROP:
            return b""
        if action is Action.MASK:
            return _masked(hit, written)
        if action is Action.HASH:
            return self.digest(hit.kind, hit.value, LONG_LETTERS).encode()
        return f"<{hit.kind}:{self.digest(hit.kind, hit.value)}>".encode()


def _masked(hit: Hit, written: bytes) -> bytes:
    text = written.decode("utf-8", "replace")
    shown = sum(c.isalnum() for c in text) - (_KEPT_CHARACTERS if hit.kind in _KEPT else 0)
    masked: list[str] = []
    for character in text:
        hidden = character.isalnum() and shown > 0
        shown -= character.isalnum()
        masked.append("*" if hidden else character)
    return "".join(masked).encode()
