"""The last use of each stored token, in memory until a loop stores it: a request writes nothing for it."""

import threading
from collections.abc import Mapping

from monitor.domain.api_token import TokenUse


class TokenUses:
    """Several threads may use it at the same time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()  # protects the fields below
        self._newest: dict[str, TokenUse] = {}  # by id of a token
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
