"""API tokens that people create, rotate and revoke while driftd runs."""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from monitor.domain.run import new_id

PREFIX: Final = "driftd_"  # tools that search for leaked secrets recognize the token by it
EXPIRES_SOON: Final = timedelta(days=14)
SHOWN_CHARS: Final = len(PREFIX) + 6


class TokenState(StrEnum):
    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A stored token without its text: `sha256` recognizes it, and `beginning` shows people which one it is.

    `roles` are those that were granted, without implied ones. `replaces` is the id of the token that it was rotated
    from. Without `expires_at` the token is valid until it is revoked. `deployments` limits what it reaches; None is
    all. `last_used_at` and `last_used_from` are stored about once a minute.
    """

    id: str
    name: str
    sha256: str
    beginning: str
    roles: tuple[str, ...]
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    replaces: str | None = None
    revoked_at: datetime | None = None
    revoked_by: str | None = None
    deployments: tuple[str, ...] | None = None
    last_used_at: datetime | None = None
    last_used_from: str | None = None

    def expires_soon(self, now: datetime) -> bool:
        """Return whether the token is active and ends within EXPIRES_SOON."""
        return (
            self.state(now) is TokenState.ACTIVE
            and self.expires_at is not None
            and self.expires_at - now <= EXPIRES_SOON
        )

    def state(self, now: datetime) -> TokenState:
        if self.revoked_at is not None:
            return TokenState.REVOKED
        is_over = self.expires_at is not None and self.expires_at <= now
        return TokenState.EXPIRED if is_over else TokenState.ACTIVE


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUse:
    """The newest request with a token: its time, and the address or the network that it came from."""

    at: datetime
    address: str


def new_text() -> str:
    """Return the text of a new token, with 256 random bits."""
    return PREFIX + secrets.token_urlsafe(32)


def new_token(
    name: str,
    roles: Iterable[str],
    *,
    by: str,
    now: datetime,
    expires_at: datetime | None,
    deployments: Iterable[str] | None = None,
) -> tuple[ApiToken, str]:
    """Return a new token and its text, which has 256 random bits. Only the caller ever has the text."""
    text = new_text()
    token = ApiToken(
        id=new_id("token", now),
        name=name,
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        beginning=text[:SHOWN_CHARS],
        roles=tuple(sorted(set(roles))),
        created_at=now,
        created_by=by,
        expires_at=expires_at,
        deployments=None if deployments is None else tuple(sorted(set(deployments))),
    )
    return token, text


def rotated(token: ApiToken, *, by: str, now: datetime) -> tuple[ApiToken, str]:
    """Return the successor of a token with its name, roles and deployments, and the same length of life from now on."""
    lifetime = None if token.expires_at is None else token.expires_at - token.created_at
    made, text = new_token(
        token.name,
        token.roles,
        by=by,
        now=now,
        expires_at=None if lifetime is None else now + lifetime,
        deployments=token.deployments,
    )
    return replace(made, replaces=token.id), text
