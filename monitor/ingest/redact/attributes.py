"""Attributes that are stored beside a call: what describes a machine goes, who it was becomes a hash."""

import re
from collections.abc import Mapping
from fnmatch import translate
from typing import Any, Final

USER_KEYS: Final = frozenset(
    ("user.id", "user_id", "userId", "enduser.id", "enduser.pseudo.id", "langfuse.user.id", "langfuse.trace.user_id",
     "session.user_id", "ai.telemetry.metadata.userId", "metadata.user_id", "llm.user", "gen_ai.request.user",
     "llm.request.user", "user.name", "user.full_name", "user.hash")
)  # fmt: skip
# Remembered; senders that make up keys must not fill the memory.
MOST_KEYS: Final = 4096
MOST_KEY_CHARS: Final = 256


class DroppedKeys:
    """Names with `*` for any text; a key is asked once."""

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
        """The very same mapping when nothing goes."""
        if self._staying.issuperset(attributes) or not any(key in self for key in attributes):
            return attributes
        return {key: value for key, value in attributes.items() if key not in self}
