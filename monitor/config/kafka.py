"""Settings of a Kafka cluster to read records from."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, ClassVar, Literal

from pydantic import Field, SecretStr, StringConstraints, ValidationInfo, field_validator, model_validator

from monitor.config.section import FileKey, Section, fault, folder_of, why

TopicName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,249}$")]
Server = Annotated[str, StringConstraints(pattern=r"^(\[[0-9A-Fa-f:.]+\]|[^\s:/,]+):\d{1,5}$")]
GroupName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9._-]{1,249}$")]
Mechanism = Literal["PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"]


class KafkaTopicConfig(Section):
    """The format of the records of a topic."""

    format: Literal["native_json", "otlp_proto", "otlp_json"] = Field(
        default="native_json",
        description=(
            "`native_json` (one object or an array for each record), `otlp_proto` or `otlp_json` (one export "
            "request for each record, as the Collector's Kafka exporter writes it)."
        ),
        json_schema_extra=why("a producer that writes for driftd needs no second key"),
    )
    signal: Literal["traces", "logs"] = Field(
        default="traces",
        description="Signal of an OTLP topic; native records contain their type.",
        json_schema_extra=why("a Collector writes each signal to its own topic"),
    )


class KafkaConfig(Section):
    """A Kafka cluster and the topics to read. One daemon with a database file reads all partitions;
    daemons with one lake share them.
    """

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "password_file": FileKey(key="password"),
        "certificate_password_file": FileKey(key="certificate_password"),
    }

    bootstrap_servers: tuple[Server, ...] = Field(
        min_length=1,
        description="Bootstrap brokers as HOST:PORT.",
        json_schema_extra=why("driftd cannot guess the address of a cluster"),
    )
    topics: dict[TopicName, KafkaTopicConfig] = Field(
        min_length=1,
        description="Names of the topics to read.",
        json_schema_extra=why("a cluster has other topics too"),
    )
    start: Literal["earliest", "latest"] = Field(
        default="earliest",
        description=(
            "Start position of a topic without a stored offset. New partitions and recreated topics are read from"
            " their beginning."
        ),
        json_schema_extra=why("existing records are useful history"),
    )
    on_data_loss: Literal["stop", "skip"] = Field(
        default="stop",
        description=(
            "Action when retention removed records before driftd read them: stop with an error, or continue after"
            " them and write a dead letter."
        ),
        json_schema_extra=why("a person should decide about a gap in the data"),
    )
    stop_scope: Literal["partition", "source"] = Field(
        default="partition",
        description=(
            "What stops when records are lost or too many are unreadable: that partition, or the whole source."
        ),
        json_schema_extra=why("the other partitions are not affected"),
    )
    group: GroupName = Field(
        default="driftd",
        description=(
            "Consumer group to which driftd commits offsets for other tools. driftd with a database file refuses to "
            "read a topic that another driftd reads in the same group, because both would store every record. Daemons "
            "with one lake are members of the group, and each reads a part of the partitions."
        ),
        json_schema_extra=why("tools that monitor lag use consumer groups"),
    )
    security: Literal["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"] = Field(
        default="plaintext",
        description="Security protocol of the brokers.",
        json_schema_extra=why("the default of brokers"),
    )
    mechanism: Mechanism | None = Field(
        default=None,
        description="SASL mechanism; required with `sasl_plaintext` and `sasl_ssl`.",
        json_schema_extra=why("it depends on the cluster"),
    )
    username: str | None = Field(
        default=None, description="SASL user.", json_schema_extra=why("required with a mechanism")
    )
    password: SecretStr | None = Field(
        default=None, description="SASL password; use ${ENV}.", json_schema_extra=why("required with a mechanism")
    )
    password_file: Path | None = Field(
        default=None,
        description="File with the SASL password.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    ca: Path | None = Field(
        default=None,
        description="CA certificates for the certificates of the brokers, in PEM.",
        json_schema_extra=why("default: the CA certificates of the system"),
    )
    certificate: Path | None = Field(
        default=None,
        description="Client certificate with its key, in PEM, for brokers that require one.",
        json_schema_extra=why("most clusters use a password instead"),
    )
    certificate_password: SecretStr | None = Field(
        default=None,
        description="Password of the key of the certificate; use ${ENV}.",
        json_schema_extra=why("keys may be encrypted"),
    )
    certificate_password_file: Path | None = Field(
        default=None,
        description="File with the password of the key of the certificate.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    poll_max_records: int = Field(
        default=2_000,
        ge=1,
        le=50_000,
        description="Maximum number of records of one fetch and batch; fewer if the ingest queue has less room.",
        json_schema_extra=why("large batches are efficient; 2 MB with records of 1 KB"),
    )
    max_unreadable: int = Field(
        default=100,
        ge=0,
        le=1_000,
        description=(
            "Unreadable records allowed in the last 1,000 records of a partition. One more stops it, see `stop_scope`."
        ),
        json_schema_extra=why("a wrong format should be noticed before it fills the dead letters with a whole topic"),
    )
    refresh_s: float = Field(
        default=10.0,
        gt=0,
        le=3600,
        description="Seconds between two refreshes of partitions and lag.",
        json_schema_extra=why("new partitions are rare, and their records wait"),
    )
    stall_after_s: float = Field(
        default=300.0,
        gt=0,
        description="Seconds without progress after which a partition with unread records counts as stalled.",
        json_schema_extra=why("longer than a restart of a broker or a compaction of the file"),
    )

    unavailable_after_s: float = Field(
        default=60.0,
        gt=0,
        description="Seconds after which a cluster without a response, or a partition without a leader, is reported.",
        json_schema_extra=why("longer than the restart of a broker or an election"),
    )

    @field_validator("ca", "certificate")
    @classmethod
    def _exists(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        if path is None:
            return None
        found = folder_of(info) / path
        if not found.is_file():
            raise ValueError(f"file {found} does not exist")
        return found

    @model_validator(mode="after")
    def _security_is_consistent(self) -> "KafkaConfig":
        if self.security.startswith("sasl"):
            for key in ("mechanism", "username", "password"):
                if getattr(self, key) is None:
                    raise fault(key, f"security {self.security} needs it")
        elif self.mechanism is not None:
            raise fault("mechanism", f"security {self.security} has no login; choose sasl_ssl or sasl_plaintext")
        if not self.security.endswith("ssl") and (self.ca or self.certificate):
            raise fault("security", "certificates need ssl or sasl_ssl")
        return self
