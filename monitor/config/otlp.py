"""Settings of the OTLP receivers, and limits of one request."""

from typing import Annotated

from pydantic import Field

from monitor.config.section import Section, why

Port = Annotated[int, Field(ge=0, le=65535)]


class ReceiverConfig(Section):
    """The address of a receiver. Each transport has its own default port."""

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address to listen on. An address other than loopback needs tokens.",
        json_schema_extra=why("telemetry contains the texts of users"),
    )


class OtlpConfig(ReceiverConfig):
    """The OTLP/HTTP receiver."""

    port: Port = Field(
        default=4318,
        description="TCP port; 0 selects a free one.",
        json_schema_extra=why("the default port of every OpenTelemetry SDK"),
    )


class OtlpGrpcConfig(ReceiverConfig):
    """The OTLP/gRPC receiver."""

    port: Port = Field(
        default=4317,
        description="TCP port; 0 selects a free one.",
        json_schema_extra=why("the OTLP/gRPC port of the specification"),
    )


class LimitsConfig(Section):
    """Limits of one request, Kafka record or record of a file. `ingest.max_body_mb` limits its decompressed size."""

    wire_mb: int = Field(
        default=16,
        ge=1,
        le=256,
        description="Largest body as received, in MiB. Larger ones get HTTP 413 or gRPC RESOURCE_EXHAUSTED.",
        json_schema_extra=why("an uncompressed body may be as large as a decompressed one"),
    )
    records: int = Field(
        default=50_000,
        ge=1,
        le=50_000,
        description=(
            "Maximum number of spans, log records or native records of one request. A request with more gets HTTP 413."
        ),
        json_schema_extra=why("an empty span is two bytes on the wire and a kilobyte in memory"),
    )
    depth: int = Field(
        default=32,
        ge=1,
        le=40,
        description=(
            "Deepest nesting of lists and maps in one value. A deeper record becomes a dead letter; the others "
            "are stored."
        ),
        json_schema_extra=why("clients send five or six levels; protobuf itself stops at about 48"),
    )
    attributes: int = Field(
        default=4_000,
        ge=16,
        description=(
            "Maximum number of attributes of a record with those of its resource. A record with more becomes a dead "
            "letter; the others are stored."
        ),
        json_schema_extra=why("indexed conventions use four or five for each message of a conversation"),
    )
    value_kb: int = Field(
        default=1_024,
        ge=1,
        description=(
            "Longest text of one value, in KiB of characters. A longer text is cut, and the row has the flag "
            "`truncated`."
        ),
        json_schema_extra=why(
            "a longer text is an image or a file inside a prompt; the rest of the call is still useful"
        ),
    )
