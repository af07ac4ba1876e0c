"""Settings of the daemon's own traces and metrics."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field, SecretStr, model_validator

from monitor.config.section import FileKey, HttpUrl, Section, fault, why

_HEADER = re.compile(r"([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*([\x21-\x7e][\x20-\x7e]*?)[ \t]*")


class TelemetryConfig(Section):
    """Where the daemon's own traces and metrics go. `/metrics` of the API has the metrics in any case."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"otlp_headers_file": FileKey(key="otlp_headers")}

    otlp_endpoint: HttpUrl | None = Field(
        default=None,
        description="OTLP/HTTP endpoint; `/v1/traces` and `/v1/metrics` are added. Nothing is sent without one.",
        json_schema_extra=why("a daemon that speaks to nobody unasked"),
    )
    otlp_headers: SecretStr | None = Field(
        default=None,
        description="Headers sent with every export, one `Name: value` a line; best as a file.",
        json_schema_extra=why("collectors ask for a token"),
    )
    otlp_headers_file: Path | None = Field(
        default=None,
        description="File that holds the headers.",
        json_schema_extra=why("mounted secrets of an orchestrator are files"),
    )
    otlp_interval_s: float = Field(
        default=60.0,
        ge=1,
        le=3600,
        description="Time between two exports of the metrics, in seconds.",
        json_schema_extra=why("what OpenTelemetry's SDKs do by themselves"),
    )
    ingest_sample_ratio: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Share of the requests of senders whose trace is kept; replays and alerts always are.",
        json_schema_extra=why("a trace a request is little beside the request; a busy product may want fewer"),
    )

    @model_validator(mode="after")
    def _headers_hold(self) -> "TelemetryConfig":
        self.headers()
        return self

    def headers(self) -> dict[str, str]:
        """By name. A line that is no header is an error that does not quote it."""
        lines = self.otlp_headers.get_secret_value().splitlines() if self.otlp_headers else []
        return dict(_header(number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _header(number: int, line: str) -> tuple[str, str]:
    found = _HEADER.fullmatch(line.strip())
    if found is None:
        raise fault("otlp_headers", f"line {number} is no header; write it as Name: value")
    return found[1], found[2]
