"""Settings of redaction: which secrets and personal data are taken out of texts before they are stored."""

import re
from collections.abc import Mapping
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path
from typing import Annotated, Any, ClassVar

import re2
from pydantic import Field, SecretStr, StringConstraints, ValidationInfo, field_validator

from monitor.config.section import FileKey, Section, folder_of, why
from monitor.domain.redaction import DROPPED, Action, Kind, Locale

_NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
_KINDS = (
    "What becomes of each kind (email, phone, card, iban, ip, token, national_id, or an own pattern's name): replace, "
    "hash, mask, drop or keep."
)
_LOCALES = "Countries whose national ids and phone numbers are looked for: US, GB, DE, FR, ES, NL, IT."
_PATTERNS = "Own kinds by name, each an RE2 expression over the UTF-8 text."
_ALLOW = "Values that stay, in any case."
_ALLOW_PATTERNS = "RE2 expressions; a value that matches one as a whole stays."
_ALLOW_NETWORKS = "Networks whose addresses stay, as 10.0.0.0/8."
_USERS = "What is stored of user ids: hash or keep."
_DROP = "Attributes that are not stored; * stands for any text."


class _Checked(Section):
    """What both sections check."""

    @field_validator("kinds", "patterns", check_fields=False)
    @classmethod
    def _are_named(cls, named: Mapping[str, Any]) -> Mapping[str, Any]:
        for name in named:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is no name of a kind: small letters, digits and _, at most 31")
        return named

    @field_validator("patterns", "allow_patterns", check_fields=False)
    @classmethod
    def _is_re2(cls, value: Any) -> Any:
        for pattern in value.values() if isinstance(value, Mapping) else value or ():
            try:
                matcher = re2.compile(pattern.encode())
            except re2.error as error:
                raise ValueError(f"{pattern!r} is no RE2 expression: {_said(error)}") from None
            if matcher.search(b"") is not None:
                raise ValueError(f"{pattern!r} matches the empty text; say what must be there")
        return value


class DeploymentRedactionConfig(_Checked):
    """What is redacted otherwise in one deployment. What is absent here follows the general rule."""

    kinds: dict[str, Action] = Field(
        default={}, description=_KINDS, json_schema_extra=why("the others keep their general action")
    )
    locales: tuple[Locale, ...] | None = Field(
        default=None, description=_LOCALES, json_schema_extra=why("a product has users in some countries")
    )
    patterns: dict[str, str] = Field(
        default={},
        description=_PATTERNS + " The general ones stay.",
        json_schema_extra=why("a product has its own ids"),
    )
    allow: tuple[str, ...] | None = Field(
        default=None, description=_ALLOW, json_schema_extra=why("its own public address is no secret")
    )
    allow_patterns: tuple[str, ...] | None = Field(
        default=None, description=_ALLOW_PATTERNS, json_schema_extra=why("a domain has many addresses")
    )
    allow_networks: tuple[IPv4Network | IPv6Network, ...] | None = Field(
        default=None, description=_ALLOW_NETWORKS, json_schema_extra=why("a network tool talks of its own machines")
    )
    users: Annotated[str, StringConstraints(pattern="^(hash|keep)$")] | None = Field(
        default=None, description=_USERS, json_schema_extra=why("a product may name its users by random ids already")
    )
    drop_attributes: tuple[str, ...] | None = Field(
        default=None, description=_DROP, json_schema_extra=why("an application may say more of itself than it should")
    )


class RedactionConfig(_Checked):
    """What is taken out of texts before anything is stored. A deployment may differ: `deployments.NAME.redaction`."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"salt_file": FileKey(key="salt")}

    kinds: dict[str, Action] = Field(
        default=dict.fromkeys((kind.value for kind in Kind), Action.REPLACE),
        description=_KINDS + " A kind that is not named is replaced.",
        json_schema_extra=why("nothing private is stored unasked"),
    )
    locales: tuple[Locale, ...] = Field(
        default=tuple(Locale), description=_LOCALES, json_schema_extra=why("users come from anywhere; each has checks")
    )
    patterns: dict[str, str] = Field(
        default={},
        description=_PATTERNS,
        json_schema_extra=why("nobody else knows what your customer numbers look like"),
    )
    allow: tuple[str, ...] = Field(
        default=(), description=_ALLOW, json_schema_extra=why("support@ourfirm.example is in every answer")
    )
    allow_patterns: tuple[str, ...] = Field(
        default=(), description=_ALLOW_PATTERNS, json_schema_extra=why("a domain has many addresses")
    )
    allow_networks: tuple[IPv4Network | IPv6Network, ...] = Field(
        default=(), description=_ALLOW_NETWORKS, json_schema_extra=why("documentation is full of private addresses")
    )
    users: Annotated[str, StringConstraints(pattern="^(hash|keep)$")] = Field(
        default="hash",
        description=_USERS + " An erasure finds both.",
        json_schema_extra=why("statistics need to tell users apart, not to know them"),
    )
    drop_attributes: tuple[str, ...] = Field(
        default=DROPPED, description=_DROP, json_schema_extra=why("what describes a machine says nothing of an answer")
    )
    salt: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="What digests are keyed with, 16 characters or more; best as ${ENV}. Else salt_path.",
        json_schema_extra=why("without it nobody can try values until a digest fits"),
    )
    salt_file: Path | None = Field(
        default=None,
        description="File that holds the salt; it must exist.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    salt_path: Path | None = Field(
        default=None,
        description="Where a salt is made and kept when none is given; redaction.salt beside the database when absent.",
        json_schema_extra=why("the same value must give the same placeholder after a restart"),
    )

    @field_validator("salt_path")
    @classmethod
    def _from_folder(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        return None if path is None else folder_of(info) / path


def _said(error: Exception) -> str:
    said = error.args[0] if error.args else ""
    return said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
