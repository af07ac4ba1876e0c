"""Settings of the receiver for Opsgenie and Jira Service Management."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, SecretStr, StringConstraints, field_validator, model_validator

from monitor.config.receivers.base import MessageReceiver
from monitor.config.section import FileKey, HttpUrl, Section, fault, why

_HOSTS = {"us": "https://api.opsgenie.com", "eu": "https://api.eu.opsgenie.com"}
_Text = Annotated[str, StringConstraints(min_length=1, max_length=512)]


class OpsgenieResponder(Section):
    """A team, user, escalation or schedule that the alert is routed to. Give one of id, name and username."""

    type: Literal["team", "user", "escalation", "schedule"] = Field(
        description="Kind of the responder: team, user, escalation or schedule.",
        json_schema_extra=why("Opsgenie looks it up by kind"),
    )
    id: _Text | None = Field(
        default=None,
        description="Id of the responder. Jira Service Management requires it.",
        json_schema_extra=why("an id stays the same when the responder is renamed"),
    )
    name: _Text | None = Field(
        default=None,
        description="Name of a team, escalation or schedule in Opsgenie.",
        json_schema_extra=why("a name is easier to read than an id"),
    )
    username: _Text | None = Field(
        default=None,
        description="Login name of a user in Opsgenie, which is an e-mail address.",
        json_schema_extra=why("Opsgenie knows users by login name"),
    )

    def fields(self) -> dict[str, str]:
        """Return the responder as the API expects it."""
        values = {"type": self.type, "id": self.id, "name": self.name, "username": self.username}
        return {key: value for key, value in values.items() if value is not None}

    @model_validator(mode="after")
    def _has_one_identity(self) -> "OpsgenieResponder":
        if [self.id, self.name, self.username].count(None) != 2:
            raise fault("id", "give exactly one of id, name and username")
        if self.name is not None and self.type == "user":
            raise fault("name", "a user has a username or an id")
        if self.username is not None and self.type != "user":
            raise fault("username", f"a {self.type} has a name or an id")
        return self


class OpsgenieReceiver(MessageReceiver):
    """Keeps one alert in Opsgenie or Jira Service Management for each group of alerts."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"api_key_file": FileKey(key="api_key")}
    ACKNOWLEDGES: ClassVar[bool] = True

    kind: Literal["opsgenie"] = Field(
        description="opsgenie", json_schema_extra=why("Opsgenie and Jira Service Management call the person on call")
    )
    api_key: SecretStr | None = Field(
        default=None,
        description="Key of an API integration. Give this or api_key_file; driftd treats it as a secret.",
        json_schema_extra=why("anyone who knows the key can create and close alerts"),
    )
    api_key_file: Path | None = Field(
        default=None,
        description="File with the key.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    region: Literal["us", "eu"] = Field(
        default="us",
        description="Region of the Opsgenie account: us or eu.",
        json_schema_extra=why("an account of one region does not know the keys of the other"),
    )
    api_url: HttpUrl | None = Field(
        default=None,
        description=(
            "Base URL of the API instead of that of the region, without /v2/alerts. Jira Service Management:"
            " https://api.atlassian.com/jsm/ops/integration."
        ),
        json_schema_extra=why("Jira Service Management has the same API at another address"),
    )
    responders: tuple[OpsgenieResponder, ...] = Field(
        default=(),
        max_length=50,
        description="Teams, users, escalations and schedules that get the alerts.",
        json_schema_extra=why("without responders, the integration and its routing rules decide"),
    )
    tags: tuple[Annotated[str, StringConstraints(min_length=1, max_length=50)], ...] = Field(
        default=(),
        max_length=17,
        description="Tags of each alert. driftd adds the rule, the severity and the deployment.",
        json_schema_extra=why("Opsgenie allows 20 tags of 50 characters"),
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
        assert self.api_key is not None, "_has_a_key checks it"
        return {
            "url": (self.api_url or _HOSTS[self.region]).rstrip("/"),
            "api_key": self.api_key.get_secret_value(),
            "responders": [each.fields() for each in self.responders],
            "tags": self.tags,
            "timeout_s": self.timeout_s,
            "templates": self.templates.sources(),
        }

    @field_validator("api_key")
    @classmethod
    def _fits_a_header(cls, key: SecretStr | None) -> SecretStr | None:
        value = "" if key is None else key.get_secret_value()
        if not (value.isascii() and value.isprintable()) or " " in value:
            raise ValueError("an API key has ASCII characters without spaces; copy it from the integration")
        return key

    @model_validator(mode="after")
    def _has_a_key(self) -> "OpsgenieReceiver":
        if self.api_key is None:
            raise fault("api_key", "give api_key or api_key_file")
        return self
