"""Redact the attributes of a call: remove those that describe a machine, and hash user ids."""

import re
from collections.abc import Mapping
from fnmatch import translate
from typing import Any, Final

USER_KEYS: Final = frozenset(
    ("user.id", "user_id", "userId", "enduser.id", "enduser.pseudo.id", "langfuse.user.id", "langfuse.trace.user_id",
     "session.user_id", "ai.telemetry.metadata.userId", "metadata.user_id", "llm.user", "gen_ai.request.user",
     "llm.request.user", "user.name", "user.full_name", "user.hash")
)  # fmt: skip
# Limits the cache: senders may invent keys.
MOST_KEYS: Final = 4096
MOST_KEY_CHARS: Final = 256


class DroppedKeys:
    """Attribute names, with `*` for any text. The result for each key is cached."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._dropped = re.compile("|".join(translate(name) for name in names) or r"(?!)")
        self._staying: set[str] = set()

    def __contains__(self, key: str) -> bool:
        if key in self._staying:
            return False
        dropped = self._dropped.match(key) is not None
        if not dropped and len(self._staying) < MOST_KEYS and len(key) <= MOST_KEY_CHARS:
            self._staying.add(key)
        return dropped

    def without(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return the attributes without the dropped ones; the same object when none is dropped."""
        if self._staying.issuperset(attributes) or not any(key in self for key in attributes):
            return attributes
        return {key: value for key, value in attributes.items() if key not in self}
