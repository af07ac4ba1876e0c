"""Settings of the receivers that post to the incoming webhook of a service."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from monitor.config.receivers.base import MessageReceiver
from monitor.config.section import FileKey, fault, why


class _ChatReceiver(MessageReceiver):
    """The settings of every chat service."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"url_file": FileKey(key="url")}

    url: SecretStr | None = Field(
        default=None,
        description="URL of the incoming webhook. Give this or url_file; driftd treats it as a secret.",
        json_schema_extra=why("anyone who knows the URL can write to the channel"),
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
        return {
            "url": self.url.get_secret_value(),
            "timeout_s": self.timeout_s,
            "templates": self.templates.sources(),
        }

    @field_validator("url")
    @classmethod
    def _is_http(cls, url: SecretStr | None) -> SecretStr | None:
        if url is not None and not url.get_secret_value().startswith(("http://", "https://")):
            raise ValueError("the address must start with http:// or https://")
        return url

    @model_validator(mode="after")
    def _has_an_address(self) -> "_ChatReceiver":
        if self.url is None:
            raise fault("url", "give url or url_file")
        return self


class SlackReceiver(_ChatReceiver):
    """Posts the alert to a Slack incoming webhook."""

    kind: Literal["slack"] = Field(description="slack", json_schema_extra=why("a channel of the team sees each alert"))


class TeamsReceiver(_ChatReceiver):
    """Posts the alert to a Microsoft Teams workflow as an Adaptive Card."""

    kind: Literal["teams"] = Field(description="teams", json_schema_extra=why("a channel of the team sees each alert"))


class DiscordReceiver(_ChatReceiver):
    """Posts the alert to a Discord webhook."""

    kind: Literal["discord"] = Field(
        description="discord", json_schema_extra=why("a channel of the team sees each alert")
    )


class GrafanaIrmReceiver(_ChatReceiver):
    """Posts the alert to a formatted webhook of Grafana IRM."""

    kind: Literal["grafana_irm"] = Field(
        description="grafana_irm", json_schema_extra=why("Grafana IRM calls the person who is on call")
    )
