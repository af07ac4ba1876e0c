"""Settings of the e-mail receiver."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator

from monitor.config.receivers.base import MessageReceiver
from monitor.config.section import FileKey, fault, folder_of, why

_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}")
_PORTS = {"starttls": 587, "implicit": 465, "none": 25}


class EmailReceiver(MessageReceiver):
    """Sends the alert as e-mail over SMTP."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"password_file": FileKey(key="password")}

    kind: Literal["email"] = Field(description="email", json_schema_extra=why("everyone has a mailbox"))
    host: str = Field(
        min_length=1,
        description="Host name of the SMTP server.",
        json_schema_extra=why("messages go through the mail server of your organization"),
    )
    port: int | None = Field(
        default=None,
        ge=1,
        le=65535,
        description="Port of the SMTP server. Without it: 587 for starttls, 465 for implicit, 25 for none.",
        json_schema_extra=why("these are the registered ports"),
    )
    tls: Literal["starttls", "implicit", "none"] = Field(
        default="starttls",
        description="starttls: require STARTTLS. implicit: TLS from the first byte. none: no encryption, no login.",
        json_schema_extra=why("a message and a password must not cross a network in clear text"),
    )
    ca_file: Path | None = Field(
        default=None,
        description="File with the certificates that sign the certificate of the server, in PEM.",
        json_schema_extra=why("without it the certificates of the system are trusted"),
    )
    username: str | None = Field(
        default=None, description="Name for the login.", json_schema_extra=why("a relay of your network may need none")
    )
    password: SecretStr | None = Field(
        default=None,
        description="Password for the login. Give this or password_file; driftd treats it as a secret.",
        json_schema_extra=why("a login needs it"),
    )
    password_file: Path | None = Field(
        default=None,
        description="File with the password.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    from_address: str = Field(
        description="Address of the sender, for example driftd@example.org.",
        json_schema_extra=why("mail servers check whether a sender is allowed"),
    )
    to: tuple[str, ...] = Field(
        min_length=1,
        max_length=100,
        description="Addresses of the recipients. One message goes to all of them.",
        json_schema_extra=why("a recipient that the server rejects does not stop the others"),
    )
    timeout_s: float = Field(
        default=30.0,
        gt=0,
        le=300,
        description="Longest time for the connection and for each response of the server, in seconds.",
        json_schema_extra=why("mail servers delay the first response to stop senders of spam"),
    )

    def options(self) -> dict[str, Any]:
        """Return the options of `build_receiver`."""
        server = {
            "host": self.host,
            "port": self.port or _PORTS[self.tls],
            "tls": self.tls,
            "timeout_s": self.timeout_s,
            "ca_file": self.ca_file,
            "username": self.username,
            "password": None if self.password is None else self.password.get_secret_value(),
        }
        return {
            "server": server,
            "sender": self.from_address,
            "recipients": self.to,
            "templates": self.templates.sources(),
        }

    @field_validator("ca_file")
    @classmethod
    def _in_the_folder_of_the_configuration(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        return None if path is None else folder_of(info) / path

    @field_validator("from_address")
    @classmethod
    def _is_an_address(cls, address: str) -> str:
        if not _ADDRESS.fullmatch(address):
            raise ValueError("an address has the form name@example.org, in ASCII, without a display name")
        return address

    @field_validator("to")
    @classmethod
    def _are_addresses(cls, addresses: tuple[str, ...]) -> tuple[str, ...]:
        for address in addresses:
            cls._is_an_address(address)
        return addresses

    @model_validator(mode="after")
    def _login_is_complete(self) -> "EmailReceiver":
        if (self.username is None) != (self.password is None):
            raise fault("username", "give username and password (or password_file), or none of them")
        if self.username is not None and self.tls == "none":
            raise fault("tls", "a login needs starttls or implicit: the password must not be sent in clear text")
        return self
