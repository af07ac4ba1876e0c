"""Stores the last use of tokens about once a minute, and logs tokens that expire soon once a day."""

import logging
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Final

from monitor.clock import Clock
from monitor.domain.api_token import TokenUse
from monitor.errors import DriftdError
from monitor.guards.token_uses import CONFIGURED, TokenUses
from monitor.store.access import tokens
from monitor.store.engine.database import Store, Tx

log = logging.getLogger(__name__)
WARN_EVERY: Final = timedelta(days=1)


class TokenUseLoop:
    """The loop of the tokens. `close` stores the last uses before the process ends."""

    name = "token_use"
    poll_s = 60.0

    def __init__(self, *, store: Store, clock: Clock, uses: TokenUses) -> None:
        self.uses = uses
        self._store, self._clock = store, clock
        self._warned_at: datetime | None = None

    def step(self) -> int:
        now = self._clock.now()
        if self._warned_at is None or now - self._warned_at >= WARN_EVERY:
            self._warn(now)
        uses = self.uses.take()
        if not uses:
            return 0
        try:
            with self._store.write() as tx:
                _store(tx, uses)
        except BaseException:
            self.uses.put_back(uses)
            raise
        return len(uses)

    def close(self) -> None:
        try:
            self.step()
        except DriftdError as error:
            log.warning("the last uses of tokens are lost: %s", error)

    def _warn(self, now: datetime) -> None:
        self._warned_at = now
        with self._store.read() as tx:
            soon = [token for token in tokens.unrevoked(tx) if token.expires_soon(now)]
        for token in soon:
            log.warning(
                "token %s (%s) expires at %s; replace it with `driftd tokens rotate %s`",
                token.id,
                token.name,
                token.expires_at,
                token.id,
            )


def _store(tx: Tx, uses: Mapping[str, TokenUse]) -> None:
    configured = {key.removeprefix(CONFIGURED): use for key, use in uses.items() if key.startswith(CONFIGURED)}
    stored = {key: use for key, use in uses.items() if not key.startswith(CONFIGURED)}
    if stored:
        tokens.store_uses(tx, stored)
    if configured:
        tokens.store_configured_uses(tx, configured)
