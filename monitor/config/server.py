"""Settings of the process itself: the database file, the API and what listens for telemetry."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from monitor.config.feedback_scores import FeedbackScoreConfig, ScoreName
from monitor.config.kafka import KafkaConfig
from monitor.config.otlp import LimitsConfig, OtlpConfig, OtlpGrpcConfig, Port
from monitor.config.section import FileKey, HttpUrl, Name, Section, fault, folder_of, sha256_hex, why


class Role(StrEnum):
    """What the bearer of a token may do. `admin` may do everything but `reveal`, which is always given by name."""

    INGEST = "ingest"
    READ = "read"
    REVIEW = "review"
    OPERATE = "operate"
    REVEAL = "reveal"
    ADMIN = "admin"


class StoreConfig(Section):
    """The database: one file, owned by one process."""

    path: Path = Field(
        default=Path("data/driftd.duckdb"),
        description="The DuckDB file; relative paths start at the folder of the config file.",
        json_schema_extra=why("beside the configuration, so that a checkout runs as it stands"),
    )
    memory_limit_mb: int = Field(
        default=1024,
        ge=128,
        description="Memory DuckDB may use, in MiB.",
        json_schema_extra=why("leaves half of a 2 GiB container to Python and the replies in flight"),
    )

    @field_validator("path")
    @classmethod
    def _from_folder(cls, path: Path, info: ValidationInfo) -> Path:
        return folder_of(info) / path


class TokenConfig(Section):
    """A bearer token of the API. Only its hash is kept."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"token_file": FileKey(key="sha256", convert=sha256_hex)}

    name: Name = Field(
        description="Who holds the token; it stands in the log of reveals and reviews.",
        json_schema_extra=why("an action needs a name"),
    )
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        default=None,
        description="SHA-256 of the token, in hexadecimal. Give this or token_file.",
        json_schema_extra=why("a leaked configuration gives no access"),
    )
    token_file: Path | None = Field(
        default=None,
        description="File that holds the token in plain text; hashed on load.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    roles: tuple[Role, ...] = Field(
        min_length=1,
        description="What the token allows: ingest, read, review, operate, reveal, admin.",
        json_schema_extra=why("a telemetry sender must not read a private set"),
    )

    @model_validator(mode="after")
    def _has_a_token(self) -> "TokenConfig":
        if self.sha256 is None:
            raise fault("sha256", "give sha256 or token_file")
        return self


class ApiConfig(Section):
    """The HTTP API that dashboards and commands use."""

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address to listen on. Anything beyond loopback needs tokens.",
        json_schema_extra=why("an API without tokens must not be reachable from other machines"),
    )
    port: Port = Field(
        default=8400,
        description="TCP port; 0 takes a free one.",
        json_schema_extra=why("free of well-known services"),
    )
    dashboard_url: HttpUrl | None = Field(
        default=None,
        description="Where people reach the dashboard; alerts link to it.",
        json_schema_extra=why("the daemon cannot know its own public address"),
    )
    tokens: tuple[TokenConfig, ...] = Field(
        default=(),
        description="Bearer tokens; with none, every caller on loopback may do everything but reveal.",
        json_schema_extra=why("a first try on one machine needs no secret"),
    )


class IngestConfig(Section):
    """How telemetry comes in, and how much of it may wait."""

    otlp: OtlpConfig = Field(
        default=OtlpConfig(),
        description="The OTLP/HTTP receiver.",
        json_schema_extra=why("on, since most applications are instrumented already"),
    )
    otlp_grpc: OtlpGrpcConfig = Field(
        default=OtlpGrpcConfig(),
        description="The OTLP/gRPC receiver.",
        json_schema_extra=why("several SDKs and the Collector speak gRPC unless told otherwise"),
    )
    limits: LimitsConfig = Field(
        default=LimitsConfig(),
        description="What one request or record may hold, whichever way it comes.",
        json_schema_extra=why("memory is bounded whatever arrives"),
    )
    kafka: dict[Name, KafkaConfig] = Field(
        default={},
        description="Kafka clusters that records are read from, by a name of your own.",
        json_schema_extra=why("most applications send by themselves"),
    )
    intake_max_rows: int = Field(
        default=20_000,
        ge=100,
        description="Rows that may wait for the writer; beyond, senders are told to come back (429).",
        json_schema_extra=why("a few seconds of a busy product, some 100 MB with long prompts"),
    )
    intake_max_mb: int = Field(
        default=128,
        ge=1,
        le=4_096,
        description="Texts that may wait for the writer, in MiB; beyond, the same. One larger batch is let in alone.",
        json_schema_extra=why("rows may be long; in columns and on their way to the file they are there again"),
    )
    commit_max_rows: int = Field(
        default=4_000,
        ge=1,
        description="Rows written in one transaction at most.",
        json_schema_extra=why("a commit holds the write lock so long; in a small one a row costs twice as much"),
    )
    commit_max_mb: int = Field(
        default=32,
        ge=1,
        le=1_024,
        description="Texts written in one transaction at most, in MiB, unless one batch has more.",
        json_schema_extra=why("a commit of long rows holds the write lock and the memory of their columns"),
    )
    commit_max_delay_ms: int = Field(
        default=100,
        ge=1,
        le=10_000,
        description="The longest a row waits for others before it is committed, in ms; a fifth of it when none come.",
        json_schema_extra=why("a sender waits for its receipt so long"),
    )
    max_body_mb: int = Field(
        default=16,
        ge=1,
        le=256,
        description="Largest body (decompressed), Kafka record or record of a file, in MiB; beyond, it is refused.",
        json_schema_extra=why("a batch of 512 spans with long prompts; a bomb of zeros stops here"),
    )
    default_deployment: Name | None = Field(
        default=None,
        description='Deployment of telemetry that names none; "unknown" when absent.',
        json_schema_extra=why("guessing would put one product's traffic into another's statistics"),
    )
    prices_file: Path | None = Field(
        default=None,
        description="Prices of models, instead of those that are shipped: what a call costs that does not say it.",
        json_schema_extra=why("list prices are nobody's contract, and they change"),
    )
    feedback_scores: dict[ScoreName, FeedbackScoreConfig] = Field(
        default={},
        description="Scales of scores that other products' clients send as feedback, by the score's name.",
        json_schema_extra=why("a number without its scale says neither good nor bad"),
    )
    feedback_patience_days: float = Field(
        default=7,
        gt=0,
        le=365,
        description="Days for which feedback without its interaction waits for one; afterwards it is counted as lost.",
        json_schema_extra=why("a call is told within hours; a mistyped id stays wrong for ever"),
    )

    @field_validator("prices_file")
    @classmethod
    def _from_folder(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        return None if path is None else folder_of(info) / path
