"""Settings of the apprise receiver."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr, model_validator

from monitor.config.receivers.base import MessageReceiver
from monitor.config.section import FileKey, fault, why


class AppriseReceiver(MessageReceiver):
    """Sends the alert through the package apprise, which is optional, to any service that it knows."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"service_urls_file": FileKey(key="service_urls")}

    kind: Literal["apprise"] = Field(
        description="apprise", json_schema_extra=why("apprise knows many services that driftd does not")
    )
    service_urls: SecretStr | None = Field(
        default=None,
        description=(
            "URLs of apprise, one for each line. Give this or service_urls_file; driftd treats them as a secret."
        ),
        json_schema_extra=why("these URLs contain tokens and passwords"),
    )
    service_urls_file: Path | None = Field(
        default=None,
        description="File with the URLs.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    timeout_s: float = Field(
        default=30.0,
        gt=0,
        le=300,
        description="Longest time for one message to one service, in seconds.",
        json_schema_extra=why("a slower service counts as unavailable, and driftd retries the delivery"),
    )

    def options(self) -> dict[str, Any]:
        """Return the options of `build_receiver`."""
        assert self.service_urls is not None, "_has_urls checks it"
        return {
            "service_urls": self.service_urls.get_secret_value(),
            "timeout_s": self.timeout_s,
            "templates": self.templates.sources(),
        }

    @model_validator(mode="after")
    def _has_urls(self) -> "AppriseReceiver":
        if self.service_urls is None or not self.service_urls.get_secret_value().strip():
            raise fault("service_urls", "give service_urls or service_urls_file")
        return self
