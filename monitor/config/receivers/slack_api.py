"""Settings of the receiver of the Slack Web API."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from monitor.config.receivers.base import MessageReceiver
from monitor.config.section import FileKey, HttpUrl, fault, why


class SlackApiReceiver(MessageReceiver):
    """Keeps one Slack message with a thread for each group of alerts, as an app with a bot token."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "token_file": FileKey(key="token"),
        "signing_secret_file": FileKey(key="signing_secret"),
    }
    ACKNOWLEDGES: ClassVar[bool] = True
    REMEMBERS: ClassVar[bool] = True

    kind: Literal["slack_api"] = Field(
        description="slack_api",
        json_schema_extra=why("an app can reply in a thread and edit a message; an incoming webhook cannot"),
    )
    token: SecretStr | None = Field(
        default=None,
        description="Bot token of the Slack app, with the scope chat:write. Give this or token_file.",
        json_schema_extra=why("anyone who knows the token can write as the app"),
    )
    token_file: Path | None = Field(
        default=None,
        description="File with the bot token.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    channel: str = Field(
        min_length=1,
        max_length=100,
        description="Id of the channel, for example C024BE91L. The app must be a member.",
        json_schema_extra=why("the id stays the same when the channel gets another name"),
    )
    signing_secret: SecretStr | None = Field(
        default=None,
        min_length=16,
        description=(
            "Signing secret of the Slack app. With it, messages have a button Acknowledge that Slack reports to"
            " POST /api/v1/callbacks/slack/NAME. Give this or signing_secret_file."
        ),
        json_schema_extra=why("the secret proves that Slack sent a callback; without one the path responds 404"),
    )
    signing_secret_file: Path | None = Field(
        default=None,
        description="File with the signing secret.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    api_url: HttpUrl = Field(
        default="https://slack.com/api",
        description="Base URL of the Slack Web API.",
        json_schema_extra=why("GovSlack, a relay and a test have addresses of their own"),
    )
    timeout_s: float = Field(
        default=10.0,
        gt=0,
        le=300,
        description="Longest time for one request, from the name lookup to the response, in seconds.",
        json_schema_extra=why("a slower receiver counts as unavailable, and driftd retries the delivery"),
    )

    def options(self) -> dict[str, Any]:
        """Return the options of `build_receiver`."""
        assert self.token is not None, "_has_a_token checks it"
        return {
            "url": self.api_url.rstrip("/"),
            "token": self.token.get_secret_value(),
            "channel": self.channel,
            "buttons": self.signing_secret is not None,
            "timeout_s": self.timeout_s,
            "templates": self.templates.sources(),
        }

    @property
    def callback_secret(self) -> SecretStr | None:
        """Return the signing secret of the app."""
        return self.signing_secret

    @field_validator("token")
    @classmethod
    def _fits_a_header(cls, token: SecretStr | None) -> SecretStr | None:
        value = "" if token is None else token.get_secret_value()
        if not (value.isascii() and value.isprintable()) or " " in value:
            raise ValueError("a token has ASCII characters without spaces; copy the bot token of the app")
        return token

    @model_validator(mode="after")
    def _has_a_token(self) -> "SlackApiReceiver":
        if self.token is None:
            raise fault("token", "give token or token_file")
        return self
