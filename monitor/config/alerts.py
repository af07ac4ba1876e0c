"""Settings of alerting: who is told, how, and how often."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from monitor.config.section import FileKey, Name, Section, fault, why


class WebhookReceiver(Section):
    """Posts the alert as JSON."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"url_file": FileKey(key="url")}

    kind: Literal["webhook"] = Field(description="webhook", json_schema_extra=why("every pager and chat takes one"))
    url: SecretStr | None = Field(
        default=None,
        description="Where to post. Give this or url_file; it is treated as a secret.",
        json_schema_extra=why("whoever knows a chat's webhook address can write there"),
    )
    url_file: Path | None = Field(
        default=None,
        description="File that holds the address.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    timeout_s: float = Field(
        default=10.0,
        gt=0,
        le=300,
        description="Longest time for one delivery, from the name lookup to the answer, in seconds.",
        json_schema_extra=why("a receiver that takes longer is treated as away, and the delivery is tried again"),
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


class ConsoleReceiver(Section):
    """Writes the alert to the daemon's standard output."""

    kind: Literal["console"] = Field(description="console", json_schema_extra=why("a first try needs no other service"))

    def options(self) -> dict[str, Any]:
        """Return the options of `build_receiver`: none."""
        return {}


ReceiverConfig = Annotated[WebhookReceiver | ConsoleReceiver, Field(discriminator="kind")]


Level = Literal["off", "info", "warning", "critical"]


class ReplayAlertsConfig(Section):
    """Alerts about replays that fail, say too little or do not happen: one for each deployment and set, open until the
    next good replay. `info` is sent once, `off` opens none.
    """

    failed: Level = Field(
        default="warning",
        description="Severity when a scheduled replay, or one after a change, failed.",
        json_schema_extra=why("until it is mended, a regression goes unseen"),
    )
    insufficient: Level = Field(
        default="warning",
        description="Severity when too few cases of a replay have a score.",
        json_schema_extra=why("a night without enough answers says nothing about the product"),
    )
    missed: Level = Field(
        default="warning",
        description="Severity when a planned instant passed without a replay that ended.",
        json_schema_extra=why("a watch that does not run looks like a quiet night"),
    )
    too_few_cases: Level = Field(
        default="info",
        description="Severity when a dynamic set stays empty, or shares too few cases with the nights before.",
        json_schema_extra=why("a set that still fills is nothing to wake up for"),
    )
    grace_h: float = Field(
        default=6.0,
        gt=0,
        description="A replay counts as missed when it has not ended so long after its planned instant, in hours.",
        json_schema_extra=why("a long replay and its waits for the target are over by then, and the day begins"),
    )
    empty_days: float = Field(
        default=7.0,
        gt=0,
        description="A dynamic set may be without cases for so long, in days.",
        json_schema_extra=why("corrections of a week should have given a case"),
    )
    repeat_h: float = Field(
        default=24.0,
        ge=1,
        description="Such an alert is sent again after this, in hours.",
        json_schema_extra=why("once a day: it is known, and must not be forgotten"),
    )


class AlertsConfig(Section):
    """How an alert lives and who hears of it."""

    receivers: tuple[Name, ...] = Field(
        default=(),
        description="Names of the receivers that are told; every one when absent.",
        json_schema_extra=why("a receiver that was set up wants to hear"),
    )
    for_s: float = Field(
        default=0.0,
        ge=0,
        description="A regression stays pending so long before it fires, in seconds.",
        json_schema_extra=why("a replay of hundreds of cases is no blip: the test has already weighed it"),
    )
    repeat_s: float = Field(
        default=14_400.0,
        ge=60,
        description="A firing alert is sent again after this, in seconds.",
        json_schema_extra=why("four hours: once or twice a shift"),
    )
    alpha_over: Literal["set", "deployment", "all"] = Field(
        default="set",
        description="What shares one chance of a false alarm: a set (or the traffic) alone, a deployment, or all.",
        json_schema_extra=why("a set is found worse as fast as it can be; who is on call for many may want fewer"),
    )
    backoff_s: float = Field(
        default=5.0,
        gt=0,
        le=3600,
        description="Pause after the first failed attempt, in seconds; it doubles each time.",
        json_schema_extra=why("a restarting receiver is back within seconds"),
    )
    longest_pause_s: float = Field(
        default=300.0,
        gt=0,
        le=3600,
        description="Longest pause between attempts while a receiver cannot be reached, in seconds. A notification is "
        "never given up: it stays due until it is delivered or a newer one of its alert replaces it.",
        json_schema_extra=why("five minutes after a receiver is back, everything has arrived"),
    )

    replays: ReplayAlertsConfig = Field(
        default=ReplayAlertsConfig(),
        description="Alerts about replays that fail, say too little or do not happen.",
        json_schema_extra=why("a night that says nothing must not look like a good one"),
    )

    @model_validator(mode="before")
    @classmethod
    def _attempts_are_not_limited(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and "max_attempts" in values:
            raise fault("max_attempts", "remove this key: a notification stays due until it is delivered or replaced")
        return values
