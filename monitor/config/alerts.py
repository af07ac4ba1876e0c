"""Settings of alerting: receivers, delays and repeats."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, SecretStr, field_validator, model_validator

from monitor.config.section import FileKey, Name, Section, fault, why


class WebhookReceiver(Section):
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


class ConsoleReceiver(Section):
    """Writes the alert to the daemon's standard output."""

    kind: Literal["console"] = Field(
        description="console", json_schema_extra=why("a first test needs no other service")
    )

    def options(self) -> dict[str, Any]:
        """Return the options of `build_receiver`: none."""
        return {}


ReceiverConfig = Annotated[WebhookReceiver | ConsoleReceiver, Field(discriminator="kind")]


Level = Literal["off", "info", "warning", "critical"]


class ReplayAlertsConfig(Section):
    """Alerts about replays that failed, have too few scores, or did not run. Each deployment and set has at most one,
    open until the next good replay. `info` is sent once; `off` opens no alert.
    """

    failed: Level = Field(
        default="warning",
        description="Severity when a scheduled replay, or a replay after a change, failed.",
        json_schema_extra=why("without replays a regression stays undetected"),
    )
    insufficient: Level = Field(
        default="warning",
        description="Severity when too few cases of a replay have a score.",
        json_schema_extra=why("a night with too few scores is no evidence about the product"),
    )
    missed: Level = Field(
        default="warning",
        description="Severity when no replay ended after a planned time.",
        json_schema_extra=why("a monitor that does not run looks like a night without an alert"),
    )
    too_few_cases: Level = Field(
        default="info",
        description="Severity when a dynamic set stays empty, or shares too few cases with earlier nights.",
        json_schema_extra=why("a set that is still filling needs no urgent attention"),
    )
    grace_h: float = Field(
        default=6.0,
        gt=0,
        description="A replay counts as missed if it has not ended this many hours after its planned time.",
        json_schema_extra=why("even a long replay that waited for its target has ended by then"),
    )
    empty_days: float = Field(
        default=7.0,
        gt=0,
        description="A dynamic set may be empty for this many days before an alert opens.",
        json_schema_extra=why("a week of corrections should contain at least one case"),
    )
    repeat_h: float = Field(
        default=24.0,
        ge=1,
        description="Hours until an open alert about replays is sent again.",
        json_schema_extra=why("once a day is enough for a known problem"),
    )


class AlertsConfig(Section):
    """When alerts fire, repeat and reach receivers."""

    receivers: tuple[Name, ...] = Field(
        default=(),
        description="Names of the receivers that get alerts. Default: all.",
        json_schema_extra=why("a configured receiver should get alerts"),
    )
    for_s: float = Field(
        default=0.0,
        ge=0,
        description="Seconds for which a regression stays pending before it fires.",
        json_schema_extra=why("a regression is already the result of a test over hundreds of cases"),
    )
    repeat_s: float = Field(
        default=14_400.0,
        ge=60,
        description="Seconds until a firing alert is sent again.",
        json_schema_extra=why("four hours: once or twice in a shift"),
    )
    alpha_scope: Literal["set", "deployment", "all"] = Field(
        default="set",
        description="Scope of one false-alarm probability: each set (or the traffic) alone, a deployment, or all.",
        json_schema_extra=why(
            "per set, a regression is detected soonest; a person on call for many sets may prefer fewer alerts"
        ),
    )
    backoff_s: float = Field(
        default=5.0,
        gt=0,
        le=3600,
        description="Pause after the first failed attempt, in seconds; each further pause is twice as long.",
        json_schema_extra=why("a receiver that restarts is available again within seconds"),
    )
    max_pause_s: float = Field(
        default=300.0,
        gt=0,
        le=3600,
        description=(
            "Longest pause between attempts while a receiver cannot be reached, in seconds. driftd never gives up"
            " a notification: it stays due until it is delivered or a newer one of its alert replaces it."
        ),
        json_schema_extra=why("everything arrives within five minutes after a receiver is available again"),
    )

    replays: ReplayAlertsConfig = Field(
        default=ReplayAlertsConfig(),
        description="Alerts about replays that failed, have too few scores, or did not run.",
        json_schema_extra=why("a night without a result must not look like a good one"),
    )

    @model_validator(mode="before")
    @classmethod
    def _attempts_are_not_limited(cls, values: Any) -> Any:
        if isinstance(values, Mapping) and "max_attempts" in values:
            raise fault("max_attempts", "remove this key: a notification stays due until it is delivered or replaced")
        return values
