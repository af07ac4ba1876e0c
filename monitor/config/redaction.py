"""Settings of redaction: which secrets and personal data are removed from texts before they are stored."""

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
    "Action for each kind (email, phone, card, iban, ip, token, national_id, or a name in `patterns`): replace, "
    "hash, mask, drop or keep."
)
_LOCALES = "Countries whose national ids and phone numbers driftd detects: US, GB, DE, FR, ES, NL, IT."
_PATTERNS = "Additional kinds by name, each an RE2 expression over the UTF-8 text."
_ALLOW = "Values that are not redacted, in upper or lower case."
_ALLOW_PATTERNS = "RE2 expressions; a value that one of them matches as a whole is not redacted."
_ALLOW_NETWORKS = "Networks whose addresses are not redacted, for example 10.0.0.0/8."
_USERS = "How user ids are stored: hash or keep."
_DROP = "Attributes that are not stored; * matches any text."


class _Checked(Section):
    """The checks of both redaction sections."""

    @field_validator("kinds", "patterns", check_fields=False)
    @classmethod
    def _kinds_are_valid(cls, named: Mapping[str, Any]) -> Mapping[str, Any]:
        for name in named:
            if not _NAME.fullmatch(name):
                raise ValueError(f"{name!r} is not a valid kind: use lower-case letters, digits and _, at most 31")
        return named

    @field_validator("patterns", "allow_patterns", check_fields=False)
    @classmethod
    def _is_re2(cls, value: Any) -> Any:
        for pattern in value.values() if isinstance(value, Mapping) else value or ():
            try:
                matcher = re2.compile(pattern.encode())
            except re2.error as error:
                raise ValueError(f"{pattern!r} is not a valid RE2 expression: {_message(error)}") from None
            if matcher.search(b"") is not None:
                raise ValueError(f"{pattern!r} matches the empty text; require at least one character")
        return value


class DeploymentRedactionConfig(_Checked):
    """Redaction rules of one deployment. A key that is absent here has the value of the section `redaction`."""

    kinds: dict[str, Action] = Field(
        default={}, description=_KINDS, json_schema_extra=why("other kinds keep their general action")
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
        default=None, description=_ALLOW, json_schema_extra=why("its own public address is not personal data")
    )
    allow_patterns: tuple[str, ...] | None = Field(
        default=None, description=_ALLOW_PATTERNS, json_schema_extra=why("a domain has many addresses")
    )
    allow_networks: tuple[IPv4Network | IPv6Network, ...] | None = Field(
        default=None, description=_ALLOW_NETWORKS, json_schema_extra=why("a network tool reports on its own machines")
    )
    users: Annotated[str, StringConstraints(pattern="^(hash|keep)$")] | None = Field(
        default=None, description=_USERS, json_schema_extra=why("a product may already use random ids for its users")
    )
    drop_attributes: tuple[str, ...] | None = Field(
        default=None, description=_DROP, json_schema_extra=why("an application may report more than it should")
    )


class RedactionConfig(_Checked):
    """Redaction of texts before they are stored. `deployments.NAME.redaction` sets other rules for a deployment."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"salt_file": FileKey(key="salt")}

    kinds: dict[str, Action] = Field(
        default=dict.fromkeys((kind.value for kind in Kind), Action.REPLACE),
        description=_KINDS + " A kind that is not named is replaced.",
        json_schema_extra=why("personal data is stored only if you choose so"),
    )
    locales: tuple[Locale, ...] = Field(
        default=tuple(Locale),
        description=_LOCALES,
        json_schema_extra=why("users come from any country; each format has checks"),
    )
    patterns: dict[str, str] = Field(
        default={},
        description=_PATTERNS,
        json_schema_extra=why("only you know the format of your customer numbers"),
    )
    allow: tuple[str, ...] = Field(
        default=(), description=_ALLOW, json_schema_extra=why("support@ourfirm.example is in every answer")
    )
    allow_patterns: tuple[str, ...] = Field(
        default=(), description=_ALLOW_PATTERNS, json_schema_extra=why("a domain has many addresses")
    )
    allow_networks: tuple[IPv4Network | IPv6Network, ...] = Field(
        default=(), description=_ALLOW_NETWORKS, json_schema_extra=why("documentation contains many private addresses")
    )
    users: Annotated[str, StringConstraints(pattern="^(hash|keep)$")] = Field(
        default="hash",
        description=_USERS + " An erasure request finds both forms.",
        json_schema_extra=why("statistics must separate users but not identify them"),
    )
    drop_attributes: tuple[str, ...] = Field(
        default=DROPPED, description=_DROP, json_schema_extra=why("attributes of a machine do not describe an answer")
    )
    salt: SecretStr | None = Field(
        default=None,
        min_length=16,
        description="Key of the digests, 16 characters or more; use ${ENV}. Default: the file salt_path.",
        json_schema_extra=why("without the key, an attacker cannot find a value by hashing guesses"),
    )
    salt_file: Path | None = Field(
        default=None,
        description="File with the salt; it must exist.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    salt_path: Path | None = Field(
        default=None,
        description=(
            "File in which driftd creates and keeps a salt if none is given. Default: redaction.salt in the "
            "folder of the database."
        ),
        json_schema_extra=why("after a restart the same value must get the same placeholder"),
    )

    @field_validator("salt_path")
    @classmethod
    def _from_folder(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        return None if path is None else folder_of(info) / path


def _message(error: Exception) -> str:
    message = error.args[0] if error.args else ""
    return message.decode("utf-8", "replace") if isinstance(message, bytes) else str(message)
