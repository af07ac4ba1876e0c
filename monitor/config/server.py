"""Settings of the process: the API and the sources."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import Field, StringConstraints, ValidationInfo, field_validator, model_validator

from monitor.config.feedback_scores import FeedbackScoreConfig, ScoreName
from monitor.config.kafka import KafkaConfig
from monitor.config.oidc import OidcConfig
from monitor.config.otlp import LimitsConfig, OtlpConfig, OtlpGrpcConfig, Port
from monitor.config.results import ResultLimitsConfig, ResultSourceConfig
from monitor.config.role import Role
from monitor.config.section import FileKey, HttpUrl, Name, Section, fault, folder_of, sha256_hex, why


class TokenConfig(Section):
    """A bearer token of the API. driftd keeps only its hash."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"token_file": FileKey(key="sha256", convert=sha256_hex)}

    name: Name = Field(
        description="Owner of the token; the logs of reveals and reviews contain this name.",
        json_schema_extra=why("an action needs an actor"),
    )
    sha256: Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")] | None = Field(
        default=None,
        description="SHA-256 of the token, in hexadecimal. Give this or token_file.",
        json_schema_extra=why("a leaked configuration gives no access"),
    )
    token_file: Path | None = Field(
        default=None,
        description="File with the token in plain text; driftd hashes it when it loads.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    roles: tuple[Role, ...] = Field(
        min_length=1,
        description="Roles of the token: ingest, read, review, operate, reveal, admin.",
        json_schema_extra=why("a telemetry sender must not read a private set"),
    )

    deployments: Annotated[tuple[Name, ...], Field(min_length=1)] | None = Field(
        default=None,
        description="Deployments that the token is limited to. Default: all. Not with the role admin.",
        json_schema_extra=why("most teams share all deployments"),
    )

    @model_validator(mode="after")
    def _limits_no_admin(self) -> "TokenConfig":
        if self.deployments is not None and Role.ADMIN in self.roles:
            raise fault("deployments", "the role admin covers the whole daemon; give other roles, or no deployments")
        return self

    @model_validator(mode="after")
    def _has_a_token(self) -> "TokenConfig":
        if self.sha256 is None:
            raise fault("sha256", "give sha256 or token_file")
        return self


class RateLimitConfig(Section):
    """The rate limit of each token and each logged-in user. Telemetry is not counted: a full intake limits it."""

    requests_per_s: float = Field(
        default=100,
        ge=1,
        le=100_000,
        description="Requests per second that a token may send on average.",
        json_schema_extra=why("all readers of a dashboard together send a few per second"),
    )
    burst: int = Field(
        default=1_000,
        ge=10,
        le=1_000_000,
        description="Requests that a token may send at once, after a pause.",
        json_schema_extra=why("fifty people open a page of twenty requests at the same time"),
    )


class ApiConfig(Section):
    """The HTTP API that dashboards and commands use."""

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address to listen on. An address other than loopback needs tokens.",
        json_schema_extra=why("an API without tokens must not be reachable from other machines"),
    )
    port: Port = Field(
        default=8400,
        description="TCP port; 0 selects a free one.",
        json_schema_extra=why("no well-known service uses it"),
    )
    dashboard_url: HttpUrl | None = Field(
        default=None,
        description="Public URL of the dashboard; alerts link to it, and the login returns to it.",
        json_schema_extra=why("the daemon cannot know its own public address"),
    )
    tokens: tuple[TokenConfig, ...] = Field(
        default=(),
        description="Bearer tokens for the start; `driftd tokens` creates others. Without any token, every caller on "
        "loopback may do everything except reveal.",
        json_schema_extra=why("a first test on one machine needs no secret"),
    )
    rate_limit: RateLimitConfig = Field(
        default=RateLimitConfig(),
        description="Limit of the requests of each token; more get 429.",
        json_schema_extra=why("a script in a loop must not take the API from the others"),
    )
    oidc: OidcConfig | None = Field(
        default=None,
        description="Login of users with an OpenID Connect provider.",
        json_schema_extra=why("the address of a provider has no default"),
    )


class IngestConfig(Section):
    """The sources of interactions and feedback, and the limits of the ingest queue."""

    otlp: OtlpConfig = Field(
        default=OtlpConfig(),
        description="The OTLP/HTTP receiver.",
        json_schema_extra=why("on, because most applications are instrumented already"),
    )
    otlp_grpc: OtlpGrpcConfig = Field(
        default=OtlpGrpcConfig(),
        description="The OTLP/gRPC receiver.",
        json_schema_extra=why("several SDKs and the Collector use gRPC by default"),
    )
    limits: LimitsConfig = Field(
        default=LimitsConfig(),
        description="Limits of one request or record, for every source.",
        json_schema_extra=why("memory stays bounded for any input"),
    )
    kafka: dict[Name, KafkaConfig] = Field(
        default={},
        description="Kafka clusters to read records from, by a name of your choice.",
        json_schema_extra=why("most applications send to driftd directly"),
    )
    results: dict[Name, ResultSourceConfig] = Field(
        default={},
        description="Folders and prefixes of object stores with results of other tools, by a name of your choice.",
        json_schema_extra=why("driftd does not search the disk"),
    )
    result_limits: ResultLimitsConfig = Field(
        default=ResultLimitsConfig(),
        description="Limits of one import of results.",
        json_schema_extra=why("disk and memory stay bounded for any file"),
    )
    intake_max_rows: int = Field(
        default=20_000,
        ge=100,
        description="Rows that may wait for the writer. When it is full, senders get 429.",
        json_schema_extra=why("a few seconds of a busy product, about 100 MB with long prompts"),
    )
    intake_max_mb: int | None = Field(
        default=None,
        ge=1,
        le=4_096,
        description=(
            "Texts that may wait for the writer, in MiB. When it is full, senders get 429. One larger batch is "
            "accepted alone. Default: 128, and at most 1/16 of the memory limit of the cgroup."
        ),
        json_schema_extra=why("rows may be long, and their columns need the memory a second time"),
    )
    commit_max_rows: int = Field(
        default=4_000,
        ge=1,
        description="Maximum number of rows of one transaction; without this setting, 10,000 on a lake.",
        json_schema_extra=why("a commit holds the write lock; in a small commit a row costs twice as much"),
    )
    commit_max_mb: int = Field(
        default=32,
        ge=1,
        le=1_024,
        description="Maximum size of the texts of one transaction, in MiB; one larger batch is committed alone.",
        json_schema_extra=why("a commit of long rows holds the write lock and the memory of their columns"),
    )
    commit_max_delay_ms: int = Field(
        default=100,
        ge=1,
        le=10_000,
        description=(
            "Longest time for which a row waits for others before the commit, in ms; a fifth of it while no batch is "
            "being decoded, and then 100 rows do not wait. Without this setting, 2,000 on a lake, where all rows wait."
        ),
        json_schema_extra=why("the sender waits this long for its acknowledgement"),
    )
    max_body_mb: int = Field(
        default=16,
        ge=1,
        le=256,
        description="Largest body (decompressed), Kafka record or record of a file, in MiB; a larger one is refused.",
        json_schema_extra=why("a batch of 512 spans with long prompts; it stops a decompression bomb"),
    )
    default_deployment: Name | None = Field(
        default=None,
        description='Deployment of telemetry without a deployment. Default: "unknown".',
        json_schema_extra=why("a guess would mix the traffic of two products"),
    )
    prices_file: Path | None = Field(
        default=None,
        description="Prices of models that replace the shipped ones, for calls without a cost.",
        json_schema_extra=why("list prices change, and contracts differ from them"),
    )
    feedback_scores: dict[ScoreName, FeedbackScoreConfig] = Field(
        default={},
        description="Scales of the scores that clients of other products send as feedback, by name of the score.",
        json_schema_extra=why("a number without its scale is neither good nor bad"),
    )
    feedback_wait_days: float = Field(
        default=7,
        gt=0,
        le=365,
        description="Days for which feedback waits for its interaction; then it counts as unlinked.",
        json_schema_extra=why("a call is reported within hours; a mistyped id stays wrong"),
    )

    @field_validator("prices_file")
    @classmethod
    def _from_folder(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        return None if path is None else folder_of(info) / path
