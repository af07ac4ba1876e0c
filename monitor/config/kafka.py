"""Settings of a Kafka cluster that records are read from."""

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
    """What the records of a topic are."""

    format: Literal["native_json", "otlp_proto", "otlp_json"] = Field(
        default="native_json",
        description="`native_json` (one object a record, or an array), `otlp_proto` or `otlp_json` (one export request "
        "a record, as the Collector's Kafka exporter writes it).",
        json_schema_extra=why("what is written for driftd needs no second key"),
    )
    signal: Literal["traces", "logs"] = Field(
        default="traces",
        description="What an OTLP topic carries; native records say it themselves.",
        json_schema_extra=why("a Collector writes each signal to a topic of its own"),
    )


class KafkaConfig(Section):
    """A Kafka cluster, and the topics driftd reads there. One daemon reads all partitions."""

    FILES: ClassVar[Mapping[str, FileKey]] = {
        "password_file": FileKey(key="password"),
        "certificate_password_file": FileKey(key="certificate_password"),
    }

    bootstrap_servers: tuple[Server, ...] = Field(
        min_length=1,
        description="Brokers to ask first, as HOST:PORT; they name the others.",
        json_schema_extra=why("nobody can guess where a cluster is"),
    )
    topics: dict[TopicName, KafkaTopicConfig] = Field(
        min_length=1,
        description="Topics that are read, by name.",
        json_schema_extra=why("a cluster carries much that is none of driftd's business"),
    )
    start: Literal["earliest", "latest"] = Field(
        default="earliest",
        description="Where a topic is read from that was never read before. Partitions that are added later, and a "
        "topic that is made anew, are read from their beginning.",
        json_schema_extra=why("what was logged already is history worth having"),
    )
    lost: Literal["stop", "skip"] = Field(
        default="stop",
        description="When records are gone that were never read (retention was faster): stop and say which, or go on "
        "behind them and leave a dead letter.",
        json_schema_extra=why("a hole in the data must be somebody's decision"),
    )
    stops: Literal["partition", "source"] = Field(
        default="partition",
        description="What is read no further when records were lost or too many cannot be read: that partition, or the "
        "whole source.",
        json_schema_extra=why("the other partitions have nothing to do with it"),
    )
    group: GroupName = Field(
        default="driftd",
        description="Consumer group that the offsets are committed to, for other tools to see. A second driftd that "
        "reads a topic in the same group is refused: both would store every record.",
        json_schema_extra=why("tools that watch lag look at groups"),
    )
    security: Literal["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"] = Field(
        default="plaintext",
        description="How to speak to the brokers.",
        json_schema_extra=why("what a broker offers as it comes"),
    )
    mechanism: Mechanism | None = Field(
        default=None,
        description="SASL mechanism; needed with `sasl_plaintext` and `sasl_ssl`.",
        json_schema_extra=why("a cluster has one it wants"),
    )
    username: str | None = Field(
        default=None, description="SASL user.", json_schema_extra=why("needed with a mechanism")
    )
    password: SecretStr | None = Field(
        default=None, description="SASL password; best as ${ENV}.", json_schema_extra=why("needed with a mechanism")
    )
    password_file: Path | None = Field(
        default=None,
        description="File that holds the SASL password.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    ca: Path | None = Field(
        default=None,
        description="Certificates of the authorities that the brokers' are checked against, in PEM.",
        json_schema_extra=why("the system's when absent"),
    )
    certificate: Path | None = Field(
        default=None,
        description="Certificate of this client with its key, in PEM, for brokers that ask for one.",
        json_schema_extra=why("most clusters ask for a password instead"),
    )
    certificate_password: SecretStr | None = Field(
        default=None,
        description="Password of the certificate's key; best as ${ENV}.",
        json_schema_extra=why("keys may be encrypted"),
    )
    certificate_password_file: Path | None = Field(
        default=None,
        description="File that holds the password of the certificate's key.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    poll_max_records: int = Field(
        default=2_000,
        ge=1,
        le=50_000,
        description="Records taken at once at most; they become one batch. Fewer when the intake has less room.",
        json_schema_extra=why("large batches are cheap; this many of 1 KB are 2 MB"),
    )
    poison_limit: int = Field(
        default=100,
        ge=0,
        le=1_000,
        description="Of the last 1,000 records of a partition so many may be unreadable; one more, and the partition "
        "is read no further (see `stops`).",
        json_schema_extra=why("a wrong format is to be noticed, not to fill the dead letters with a whole topic"),
    )
    rescan_s: float = Field(
        default=10.0,
        gt=0,
        le=3600,
        description="Time between two looks at the cluster for new partitions and for lag, in seconds.",
        json_schema_extra=why("partitions are added rarely, and what is in them waits"),
    )
    stall_after_s: float = Field(
        default=300.0,
        gt=0,
        description="A partition that has unread records and was not read on for so long has stalled, in seconds.",
        json_schema_extra=why("longer than a restart of a broker or a rewrite of the file takes"),
    )

    unavailable_after_s: float = Field(
        default=60.0,
        gt=0,
        description="A cluster that does not answer, or a partition without a leader, is reported after so long, in "
        "seconds.",
        json_schema_extra=why("longer than a broker takes to restart or to hand over its partitions"),
    )

    @field_validator("ca", "certificate")
    @classmethod
    def _is_there(cls, path: Path | None, info: ValidationInfo) -> Path | None:
        if path is None:
            return None
        found = folder_of(info) / path
        if not found.is_file():
            raise ValueError(f"file {found} does not exist")
        return found

    @model_validator(mode="after")
    def _fits_together(self) -> "KafkaConfig":
        if self.security.startswith("sasl"):
            for key in ("mechanism", "username", "password"):
                if getattr(self, key) is None:
                    raise fault(key, f"security {self.security} needs it")
        elif self.mechanism is not None:
            raise fault("mechanism", f"security {self.security} has no login; choose sasl_ssl or sasl_plaintext")
        if not self.security.endswith("ssl") and (self.ca or self.certificate):
            raise fault("security", "certificates need ssl or sasl_ssl")
        return self
