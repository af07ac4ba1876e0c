"""Settings of the webhook receiver."""

from base64 import b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from monitor.config.receivers.base import ReceiverSection
from monitor.config.section import FileKey, fault, why

_PREFIX = "whsec_"
_SECRET_BYTES = range(24, 65)  # Standard Webhooks 1.0


class WebhookReceiver(ReceiverSection):
    """Posts the alert as JSON to a URL."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "url_file": FileKey(key="url"),
        "signing_secret_file": FileKey(key="signing_secret"),
    }

    kind: Literal["webhook"] = Field(
        description="webhook", json_schema_extra=why("webhooks exist for every pager and chat")
    )
    url: SecretStr | None = Field(
        default=None,
        description="URL of the webhook. Give this or url_file; driftd treats it as a secret.",
        json_schema_extra=why("anyone who knows the address of a chat webhook can write there"),
    )
    url_file: Path | None = Field(
        default=None,
        description="File with the URL.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    signing_secret: SecretStr | None = Field(
        default=None,
        description=(
            "Secret of Standard Webhooks, whsec_ and 24 to 64 bytes in base64. driftd signs each request with it. While"
            " you change the secret, give the new and the old one with a space or a line break between them."
        ),
        json_schema_extra=why("a receiver on the internet can check that a request is from driftd"),
    )
    signing_secret_file: Path | None = Field(
        default=None,
        description="File with the secret.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    timeout_s: float = Field(
        default=10.0,
        gt=0,
        le=300,
        description="Longest time for one delivery, from the name lookup to the response, in seconds.",
        json_schema_extra=why("a slower receiver counts as unavailable, and driftd retries the delivery"),
    )

    def options(self) -> dict[str, Any]:
        """Return the options of `build_receiver`."""
        assert self.url is not None, "_has_an_address checks it"
        secrets = "" if self.signing_secret is None else self.signing_secret.get_secret_value()
        return {
            "url": self.url.get_secret_value(),
            "timeout_s": self.timeout_s,
            "signing_secrets": _signing_secrets(secrets),
        }

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("the address must start with http:// or https://")
        return url

    @field_validator("signing_secret")
    @classmethod
    def _are_secrets(cls, text: SecretStr | None) -> SecretStr | None:
        if text is not None and not _signing_secrets(text.get_secret_value()):
            raise ValueError("the secret is empty")
        return text

    @model_validator(mode="after")
    def _has_an_address(self) -> "WebhookReceiver":
        if self.url is None:
            raise fault("url", "give url or url_file")
        return self


def _signing_secrets(text: str) -> tuple[bytes, ...]:
    """Return the bytes of each secret. Raise ValueError, which does not quote the secret, if one is not valid."""
    return tuple(_signing_secret(word) for word in text.split())


def _signing_secret(word: str) -> bytes:
    try:
        secret = b64decode(word.removeprefix(_PREFIX), validate=True)
    except ValueError:
        secret = b""
    if not word.startswith(_PREFIX) or len(secret) not in _SECRET_BYTES:
        raise ValueError("each secret must be whsec_ and 24 to 64 bytes in base64")
    return secret
