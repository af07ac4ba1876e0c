"""The one tree of settings. `monitor/config/load.py` makes it from a file; docs/config.md describes every key."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from monitor.config.alerts import AlertsConfig, ConsoleReceiver, ReceiverConfig, WebhookReceiver
from monitor.config.connections import ConnectionsConfig
from monitor.config.deployments import ChangesConfig, DeploymentConfig, DriftConfig
from monitor.config.otlp import LimitsConfig, OtlpConfig, OtlpGrpcConfig
from monitor.config.production import ProductionConfig
from monitor.config.redaction import DeploymentRedactionConfig, RedactionConfig
from monitor.config.references import problems_of
from monitor.config.replay import ReplaysConfig
from monitor.config.retention import RetentionConfig
from monitor.config.schedules import ScheduleConfig
from monitor.config.section import Name, Section, why
from monitor.config.server import ApiConfig, IngestConfig, Role, StoreConfig, TokenConfig
from monitor.config.sets import ScorerConfig, SetConfig
from monitor.config.targets import PriceConfig, PromptConfig, TargetConfig
from monitor.config.telemetry import TelemetryConfig
from monitor.config.traffic_reports import TrafficReportsConfig

__all__ = [
    "AlertsConfig",
    "ApiConfig",
    "ChangesConfig",
    "Config",
    "ConfigSource",
    "ConnectionsConfig",
    "ConsoleReceiver",
    "DeploymentConfig",
    "DeploymentRedactionConfig",
    "DriftConfig",
    "IngestConfig",
    "LimitsConfig",
    "OtlpConfig",
    "OtlpGrpcConfig",
    "PriceConfig",
    "ProductionConfig",
    "PromptConfig",
    "ReceiverConfig",
    "RedactionConfig",
    "ReplaysConfig",
    "RetentionConfig",
    "Role",
    "ScheduleConfig",
    "ScorerConfig",
    "SetConfig",
    "StoreConfig",
    "TargetConfig",
    "TelemetryConfig",
    "TokenConfig",
    "TrafficReportsConfig",
    "WebhookReceiver",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSource:
    """The file that a configuration was loaded from, and the SHA-256 of its text."""

    path: Path
    sha256: str


class Config(Section):
    """Everything that can be set."""

    _source: ConfigSource | None = PrivateAttr(default=None)

    store: StoreConfig = Field(
        default=StoreConfig(), description="The database.", json_schema_extra=why("one file is enough for a team")
    )
    api: ApiConfig = Field(
        default=ApiConfig(), description="The HTTP API.", json_schema_extra=why("dashboards and commands need it")
    )
    connections: ConnectionsConfig = Field(
        default=ConnectionsConfig(),
        description="Open connections of the listeners.",
        json_schema_extra=why("idle connections must not keep out the ones that send"),
    )
    ingest: IngestConfig = Field(
        default=IngestConfig(), description="What comes in.", json_schema_extra=why("telemetry is what driftd lives on")
    )
    redaction: RedactionConfig = Field(
        default=RedactionConfig(),
        description="What is taken out of texts before they are stored.",
        json_schema_extra=why("what users write holds more than anybody should keep"),
    )
    deployments: dict[Name, DeploymentConfig] = Field(
        default={}, description="What is watched, by name.", json_schema_extra=why("nothing is watched unasked")
    )
    targets: dict[Name, TargetConfig] = Field(
        default={}, description="What answers a replay, by name.", json_schema_extra=why("deployments may share one")
    )
    sets: dict[Name, SetConfig] = Field(
        default={}, description="Eval sets, by name.", json_schema_extra=why("deployments may share a frozen one")
    )
    replay: ReplaysConfig = Field(
        default=ReplaysConfig(),
        description="Global limits of replays.",
        json_schema_extra=why("the defaults suit one machine"),
    )
    schedules: dict[Name, ScheduleConfig] = Field(
        default={},
        description="When replays run by themselves, by name.",
        json_schema_extra=why("replays cost money: only when asked"),
    )
    receivers: dict[Name, ReceiverConfig] = Field(
        default={},
        description="Who can be told, by name; one named console when absent.",
        json_schema_extra=why("an alert nobody hears is none"),
    )
    alerts: AlertsConfig = Field(
        default=AlertsConfig(), description="How alerts behave.", json_schema_extra=why("the defaults are conservative")
    )
    telemetry: TelemetryConfig = Field(
        default=TelemetryConfig(),
        description="The daemon's own traces and metrics.",
        json_schema_extra=why("who watches the product wants to know that it is watched"),
    )
    traffic_reports: TrafficReportsConfig = Field(
        default=TrafficReportsConfig(),
        description="Reports on production traffic.",
        json_schema_extra=why("questions change too, and a score does not tell"),
    )
    retention: RetentionConfig = Field(
        default=RetentionConfig(),
        description="How long rows stay.",
        json_schema_extra=why("what users wrote must not stay for ever, and a disk is finite"),
    )

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, data: Any) -> Any:
        """What follows from other keys when it is absent: names of services, receivers, scheduled deployments."""
        return fill(data) if isinstance(data, Mapping) else data

    @model_validator(mode="after")
    def _names_hold(self) -> "Config":
        if problems := problems_of(self):
            raise PydanticCustomError("driftd_references", "{problems}", {"problems": problems})
        return self

    @property
    def source(self) -> ConfigSource | None:
        """The file it was loaded from; None for settings that were built in memory."""
        return self._source

    def from_file(self, path: Path, sha256: str) -> Self:
        """Return the same settings with their source."""
        loaded = self.model_copy()
        loaded._source = ConfigSource(path=path, sha256=sha256)  # noqa: SLF001 - a copy of the same class
        return loaded


def fill(data: Mapping[str, Any]) -> dict[str, Any]:
    """The same settings with every default that depends on another key written out."""
    values = {"store": {}, "receivers": {"console": {"kind": "console"}}, "alerts": {}, **data}
    if isinstance(values["alerts"], Mapping) and isinstance(values["receivers"], Mapping):
        values["alerts"] = {"receivers": list(values["receivers"]), **values["alerts"]}
    if isinstance(targets := values.get("targets"), Mapping):
        values["targets"] = {n: _with(t, kind="openai") for n, t in targets.items()}
    deployments = values.get("deployments")
    if isinstance(deployments, Mapping):
        values["deployments"] = {n: _with(d, service_names=[n]) for n, d in deployments.items()}
        if isinstance(schedules := values.get("schedules"), Mapping):
            values["schedules"] = {n: _with(s, deployments=list(deployments)) for n, s in schedules.items()}
    return values


def _with(section: Any, **defaults: Any) -> Any:
    """`section` with `defaults` under its own keys; what is no mapping is left for validation to refuse."""
    return {**defaults, **section} if isinstance(section, Mapping) else section
