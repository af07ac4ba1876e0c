"""The login of users: the OpenID Connect provider, and the roles of its groups."""

import ipaddress
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, StringConstraints, field_validator, model_validator

from monitor.config.role import Role
from monitor.config.section import FileKey, HttpUrl, Name, Section, fault, why

Group = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Claim = Annotated[str, StringConstraints(min_length=1, max_length=255)]
Scope = Annotated[str, StringConstraints(pattern=r"^[\x21\x23-\x5b\x5d-\x7e]{1,255}$")]


class OidcConfig(Section):
    """An OpenID Connect provider. Users log in to the dashboard there, and the API accepts their ID tokens as bearer
    tokens. Groups decide the roles. The redirect URI at the provider is the address of the dashboard with
    `/oauth2callback`.
    """

    FILES: ClassVar[Mapping[str, FileKey]] = {"client_secret_file": FileKey(key="client_secret")}

    issuer: HttpUrl = Field(
        description="Address of the provider, exactly as its ID tokens name it, with https.",
        json_schema_extra=why("driftd reads the keys of the provider below this address"),
    )
    client_id: str = Field(
        min_length=1,
        max_length=255,
        description="Id of driftd at the provider.",
        json_schema_extra=why("the provider issues ID tokens for this client only"),
    )
    client_secret: SecretStr | None = Field(
        default=None,
        description="Secret of the client; use ${ENV}. The dashboard needs it to complete a login.",
        json_schema_extra=why("only a client with a secret can log users in"),
    )
    client_secret_file: Path | None = Field(
        default=None,
        description="File with the secret of the client.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    audience: str | None = Field(
        default=None,
        min_length=1,
        description="Audience that an ID token must name. Default: client_id.",
        json_schema_extra=why("the audience of an ID token is its client"),
    )
    scopes: tuple[Scope, ...] = Field(
        default=("openid", "email", "profile"),
        min_length=1,
        description="Scopes that the login requests; openid must be one of them.",
        json_schema_extra=why("name and e-mail address of the user; some providers need one more for groups"),
    )
    groups_claim: Claim = Field(
        default="groups",
        description="Claim with the groups: a list of texts or one text, inside other claims with dots "
        "(realm_access.roles). With email, only a verified address counts.",
        json_schema_extra=why("the usual name of this claim"),
    )
    roles: dict[Group, Annotated[tuple[Role, ...], Field(min_length=1)]] = Field(
        min_length=1,
        description="Roles of each group: ingest, read, review, operate, reveal, admin. A user without one of these "
        "groups has no access.",
        json_schema_extra=why("without roles no user could log in"),
    )
    deployments: dict[Group, Annotated[tuple[Name, ...], Field(min_length=1)]] = Field(
        default={},
        description="Deployments to which the roles of a group are limited. Without an entry: all.",
        json_schema_extra=why("most teams share all deployments"),
    )

    @field_validator("issuer")
    @classmethod
    def _cannot_be_changed_on_the_way(cls, issuer: str) -> str:
        parts = urlsplit(issuer)
        if parts.scheme != "https" and not _is_loopback(parts.hostname or ""):
            raise ValueError("use https; http is allowed only for a provider on this machine")
        if parts.query or parts.fragment:
            raise ValueError("an issuer has no query and no fragment")
        return issuer

    @field_validator("scopes")
    @classmethod
    def _asks_for_an_id_token(cls, scopes: tuple[str, ...]) -> tuple[str, ...]:
        if "openid" not in scopes:
            raise ValueError("openid is missing; without it the provider sends no ID token")
        return scopes

    @model_validator(mode="after")
    def _limits_known_groups(self) -> "OidcConfig":
        for group in self.deployments:
            if group not in self.roles:
                raise fault("deployments", f"group {group!r} has no roles; add it to roles")
            if Role.ADMIN in self.roles[group]:
                raise fault("deployments", f"group {group!r} has the role admin, which covers the whole daemon")
        return self


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
