"""Settings of the webhook receiver."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from monitor.config.receivers.base import ReceiverSection
from monitor.config.section import FileKey, fault, why


class WebhookReceiver(ReceiverSection):
    """Posts the alert as JSON to a URL."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"url_file": FileKey(key="url")}

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
        return {"url": self.url.get_secret_value(), "timeout_s": self.timeout_s}

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("the address must start with http:// or https://")
        return url

    @model_validator(mode="after")
    def _has_an_address(self) -> "WebhookReceiver":
        if self.url is None:
            raise fault("url", "give url or url_file")
        return self
