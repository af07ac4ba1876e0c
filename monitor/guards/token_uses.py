"""The last use of each token, in memory until a loop stores it: a request writes nothing for it.

A stored token has its id as key, a token of the configuration `configured` and its digest.
"""

import threading
from collections.abc import Mapping
from typing import Final

from monitor.domain.api_token import TokenUse

CONFIGURED: Final = "configured "


def key_of_configured(digest: str) -> str:
    """Return the key of a token of the configuration."""
    return CONFIGURED + digest


class TokenUses:
    """Several threads may use it at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # protects the fields below
        self._newest: dict[str, TokenUse] = {}  # by key of a token
        self._unstored: set[str] = set()

    def note(self, token_id: str, use: TokenUse) -> None:
        with self._lock:
            self._newest[token_id] = use
            self._unstored.add(token_id)

    def newest(self, token_id: str) -> TokenUse | None:
        """Return the newest use since the start of the process."""
        with self._lock:
            return self._newest.get(token_id)

    def take(self) -> Mapping[str, TokenUse]:
        """Return the uses that are not stored yet, by id of the token."""
        with self._lock:
            taken = {id_: self._newest[id_] for id_ in self._unstored}
            self._unstored.clear()
        return taken

    def put_back(self, token_ids: Mapping[str, TokenUse]) -> None:
        """Mark uses as not stored: the write failed."""
        with self._lock:
            self._unstored.update(token_ids)
