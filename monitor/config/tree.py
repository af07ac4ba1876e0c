"""The tree of settings. monitor/config/load.py loads it from a file; docs/config.md describes every key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from pydantic import Field, PrivateAttr, model_validator
from pydantic_core import PydanticCustomError

from monitor.config.alerts import AlertsConfig
from monitor.config.calendar.schedules import ScheduleConfig
from monitor.config.calendar.windows import WindowConfig
from monitor.config.connections import ConnectionsConfig
from monitor.config.deployments import ChangesConfig, DeploymentConfig, DriftConfig
from monitor.config.imported import ImportedConfig
from monitor.config.judges import JudgeConfig
from monitor.config.otlp import LimitsConfig, OtlpConfig, OtlpGrpcConfig
from monitor.config.production import ProductionConfig
from monitor.config.receivers.console import ConsoleReceiver
from monitor.config.receivers.kinds import ReceiverConfig
from monitor.config.receivers.webhook import WebhookReceiver
from monitor.config.redaction import DeploymentRedactionConfig, RedactionConfig
from monitor.config.references import problems_of
from monitor.config.replay import ReplaysConfig
from monitor.config.retention import RetentionConfig
from monitor.config.role import Role
from monitor.config.sandbox import SandboxConfig
from monitor.config.section import Name, Section, why
from monitor.config.server import ApiConfig, IngestConfig, TokenConfig
from monitor.config.sets import ScorerConfig, SetConfig
from monitor.config.store import StoreConfig
from monitor.config.targets import PriceConfig, PromptConfig, TargetConfig
from monitor.config.telemetry import TelemetryConfig
from monitor.config.tls import TlsConfig
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
    "TlsConfig",
    "TokenConfig",
    "TrafficReportsConfig",
    "WebhookReceiver",
    "WindowConfig",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigSource:
    """The file of a configuration, and the SHA-256 of its text."""

    path: Path
    sha256: str


class Config(Section):
    """All settings."""

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
        json_schema_extra=why("idle connections must not block active senders"),
    )
    tls: TlsConfig = Field(
        default=TlsConfig(),
        description="TLS of the listeners and of the dashboard.",
        json_schema_extra=why("on one machine loopback needs none; certificates are yours"),
    )
    ingest: IngestConfig = Field(
        default=IngestConfig(),
        description=("Sources of interactions and feedback."),
        json_schema_extra=why("driftd works on telemetry"),
    )
    redaction: RedactionConfig = Field(
        default=RedactionConfig(),
        description="Redaction of texts before they are stored.",
        json_schema_extra=why("texts of users contain more than you should keep"),
    )
    deployments: dict[Name, DeploymentConfig] = Field(
        default={},
        description="What driftd monitors, by name.",
        json_schema_extra=why("driftd monitors only what you configure"),
    )
    targets: dict[Name, TargetConfig] = Field(
        default={},
        description=("What answers in replays, by name."),
        json_schema_extra=why("deployments may share one"),
    )
    sets: dict[Name, SetConfig] = Field(
        default={}, description="Eval sets, by name.", json_schema_extra=why("deployments may share a frozen one")
    )
    judges: dict[Name, JudgeConfig] = Field(
        default={},
        description="Models that grade replies, by name. Scorers of the kind rubric refer to them.",
        json_schema_extra=why("several sets may share one, and its budget"),
    )
    replay: ReplaysConfig = Field(
        default=ReplaysConfig(),
        description="Global limits of replays.",
        json_schema_extra=why("the defaults suit one machine"),
    )
    sandbox: SandboxConfig = Field(
        default=SandboxConfig(),
        description="Where the scorer `code` runs the programs of replies.",
        json_schema_extra=why("programs of models are untrusted, so they never run outside of a sandbox"),
    )
    schedules: dict[Name, ScheduleConfig] = Field(
        default={},
        description="When replays run automatically, by name.",
        json_schema_extra=why("replays cost money, so they are opt-in"),
    )
    windows: dict[Name, WindowConfig] = Field(
        default={},
        description="Recurring time windows, by name. Schedules and alerts refer to them.",
        json_schema_extra=why("one window, such as a nightly backup, concerns several schedules and alerts"),
    )
    receivers: dict[Name, ReceiverConfig] = Field(
        default={},
        description="Receivers of alerts, by name. Default: one named console.",
        json_schema_extra=why("an alert without a receiver has no effect"),
    )
    imported: ImportedConfig = Field(
        default=ImportedConfig(),
        description="Runs of other tools whose deployment is not configured.",
        json_schema_extra=why("one command imports results without a configuration"),
    )
    alerts: AlertsConfig = Field(
        default=AlertsConfig(),
        description="Behavior of alerts.",
        json_schema_extra=why("the defaults are conservative"),
    )
    telemetry: TelemetryConfig = Field(
        default=TelemetryConfig(),
        description="Traces and metrics of the daemon itself.",
        json_schema_extra=why("operators must see that the monitoring works"),
    )
    traffic_reports: TrafficReportsConfig = Field(
        default=TrafficReportsConfig(),
        description="Reports on production traffic.",
        json_schema_extra=why("questions change too, and a score does not show that"),
    )
    retention: RetentionConfig = Field(
        default=RetentionConfig(),
        description="How long rows are kept.",
        json_schema_extra=why("texts of users must not stay forever, and disks are finite"),
    )

    @model_validator(mode="before")
    @classmethod
    def _fill(cls, data: Any) -> Any:
        """Set defaults that depend on other keys: service names, receivers, scheduled deployments."""
        return fill(data) if isinstance(data, Mapping) else data

    @model_validator(mode="after")
    def _names_exist(self) -> "Config":
        if problems := problems_of(self):
            raise PydanticCustomError("driftd_references", "{problems}", {"problems": problems})
        return self

    @property
    def source(self) -> ConfigSource | None:
        """The file of the configuration; None for settings that were built in memory."""
        return self._source

    def from_file(self, path: Path, sha256: str) -> Self:
        """Return the same settings with their source."""
        loaded = self.model_copy()
        loaded._source = ConfigSource(path=path, sha256=sha256)  # noqa: SLF001 - a copy of the same class
        return loaded


def fill(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings with every default that depends on another key."""
    values = {"store": {}, "receivers": {"console": {"kind": "console"}}, "alerts": {}, **data}
    if isinstance(values["alerts"], Mapping) and isinstance(values["receivers"], Mapping):
        values["alerts"] = {"receivers": _all_alerts(values["alerts"], values["receivers"]), **values["alerts"]}
    if isinstance(targets := values.get("targets"), Mapping):
        values["targets"] = {n: _with(t, kind="openai") for n, t in targets.items()}
    deployments = values.get("deployments")
    if isinstance(deployments, Mapping):
        values["deployments"] = {n: _with(d, service_names=[n]) for n, d in deployments.items()}
        if isinstance(schedules := values.get("schedules"), Mapping):
            values["schedules"] = {n: _with(s, deployments=list(deployments)) for n, s in schedules.items()}
    return values


def _all_alerts(alerts: Mapping[str, Any], receivers: Mapping[str, Any]) -> list[str]:
    """Return the receivers of every alert: all of them, without those of escalations and of the Watchdog alone."""
    watchdog, escalation = _receivers_of(alerts, "watchdog"), _receivers_of(alerts, "escalation")
    kept = [name for name in receivers if name not in watchdog]
    return [name for name in kept if name not in escalation] or kept


def _receivers_of(alerts: Mapping[str, Any], key: str) -> Sequence[object]:
    section = alerts.get(key)
    names = section.get("receivers") if isinstance(section, Mapping) else None
    return names if isinstance(names, list | tuple) else ()


def _with(section: Any, **defaults: Any) -> Any:
    """Return `section` merged over `defaults`. Validation refuses a section that is not a mapping."""
    return {**defaults, **section} if isinstance(section, Mapping) else section
