"""Settings of what listens for telemetry, and of how much one request may hold."""

from typing import Annotated

from pydantic import Field

from monitor.config.section import Section, why

Port = Annotated[int, Field(ge=0, le=65535)]


class ReceiverConfig(Section):
    """Where telemetry comes in; each transport has its own usual port."""

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address to listen on. Anything beyond loopback needs tokens.",
        json_schema_extra=why("telemetry holds what users wrote"),
    )


class OtlpConfig(ReceiverConfig):
    """The OTLP/HTTP receiver."""

    port: Port = Field(
        default=4318,
        description="TCP port; 0 takes a free one.",
        json_schema_extra=why("the port every OpenTelemetry SDK uses by itself"),
    )


class OtlpGrpcConfig(ReceiverConfig):
    """The OTLP/gRPC receiver."""

    port: Port = Field(
        default=4317,
        description="TCP port; 0 takes a free one.",
        json_schema_extra=why("the port of OTLP/gRPC by specification"),
    )


class LimitsConfig(Section):
    """What one request, Kafka record or record of a file may hold; `ingest.max_body_mb` is its size decompressed."""

    wire_mb: int = Field(
        default=16,
        ge=1,
        le=256,
        description="Largest body as it comes, in MiB: beyond, HTTP answers 413, gRPC RESOURCE_EXHAUSTED.",
        json_schema_extra=why("a body that is not compressed may be as large as a decompressed one"),
    )
    records: int = Field(
        default=50_000,
        ge=1,
        le=50_000,
        description="Spans, log records or native records that come together: beyond, all are refused (HTTP 413).",
        json_schema_extra=why("an empty span is two bytes on the wire and a kilobyte in memory"),
    )
    depth: int = Field(
        default=32,
        ge=1,
        le=40,
        description="Lists and maps inside each other in one value: a record beyond is a dead letter, the rest lands.",
        json_schema_extra=why("clients send five or six levels; protobuf itself gives up at some 48"),
    )
    attributes: int = Field(
        default=4_000,
        ge=16,
        description="Attributes of one record, its resource's counted in: one beyond is a dead letter, the rest lands.",
        json_schema_extra=why("indexed conventions write four or five for each message of a conversation"),
    )
    value_kb: int = Field(
        default=1_024,
        ge=1,
        description="Longest text of one value, in KiB of characters: cut there, and the row says `truncated`.",
        json_schema_extra=why("more is an image or a file inside a prompt, and the rest of the call is worth keeping"),
    )
