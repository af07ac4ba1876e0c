"""API tokens."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from monitor.api.schema.instant import RequestInstant
from monitor.api.schema.wire import Wire

RoleName = Literal["ingest", "read", "review", "operate", "reveal", "admin"]


class TokenItem(Wire):
    """A stored token without its text. `beginning` are its first characters. `replaces` is the token that it was
    rotated from. `deployments` is null for a token that reaches all. `last_used_from` is an address or a network.
    """

    id: str
    name: str
    beginning: str
    roles: list[RoleName]
    state: Literal["active", "expired", "revoked"]
    created_at: datetime
    created_by: str
    expires_at: datetime | None
    replaces: str | None
    revoked_at: datetime | None
    revoked_by: str | None
    deployments: list[str] | None = None
    last_used_at: datetime | None = None
    last_used_from: str | None = None
    expires_soon: bool = False


class ConfiguredTokenItem(Wire):
    """A token of the configuration without its text. `beginning` are the first characters of the SHA-256 of its text.
    Its roles are without implied ones, and `deployments` is null for a token that reaches all.
    """

    name: str
    beginning: str
    roles: list[RoleName]
    deployments: list[str] | None = None
    last_used_at: datetime | None = None
    last_used_from: str | None = None


class NewTokenItem(TokenItem):
    """A new token with its text, which no later request returns."""

    token: str


class CreateToken(Wire):
    """A new token. Without `expires_at` it is valid until it is revoked, and without `deployments` it reaches all. The
    role `admin` cannot be limited to deployments.
    """

    name: str = Field(min_length=1, max_length=64, pattern=r"^[\w.@ -]+$")
    roles: list[RoleName] = Field(min_length=1, max_length=6)
    expires_at: RequestInstant | None = None
    deployments: list[Annotated[str, Field(min_length=1, max_length=200)]] | None = Field(
        default=None, min_length=1, max_length=100
    )


class RotateToken(Wire):
    """Replace a token by a new one. The old one expires after `grace_s` seconds."""

    grace_s: int = Field(default=86_400, ge=0, le=90 * 86_400)


class RevokeToken(Wire):
    """Revoke a token now."""
