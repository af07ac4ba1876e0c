"""Settings of the daemon's own traces and metrics."""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from pydantic import Field, SecretStr, model_validator

from monitor.config.section import FileKey, HttpUrl, Section, fault, why

_HEADER = re.compile(r"([A-Za-z0-9!#$%&'*+.^_`|~-]+):[ \t]*([\x21-\x7e][\x20-\x7e]*?)[ \t]*")


class TelemetryConfig(Section):
    """The export of the daemon's own traces and metrics. The API always has the metrics at `/metrics`."""

    FILES: ClassVar[Mapping[str, FileKey]] = {"otlp_headers_file": FileKey(key="otlp_headers")}

    otlp_endpoint: HttpUrl | None = Field(
        default=None,
        description="OTLP/HTTP endpoint; driftd adds `/v1/traces` and `/v1/metrics`. Without one nothing is sent.",
        json_schema_extra=why("a daemon should not connect to other hosts by default"),
    )
    otlp_headers: SecretStr | None = Field(
        default=None,
        description="Headers of every export, one `Name: value` in each line; use a file for secrets.",
        json_schema_extra=why("collectors require a token"),
    )
    otlp_headers_file: Path | None = Field(
        default=None,
        description="File with the headers.",
        json_schema_extra=why("orchestrators mount secrets as files"),
    )
    otlp_interval_s: float = Field(
        default=60.0,
        ge=1,
        le=3600,
        description="Seconds between two exports of the metrics.",
        json_schema_extra=why("the default of OpenTelemetry SDKs"),
    )
    ingest_sample_ratio: float = Field(
        default=1.0,
        ge=0,
        le=1,
        description="Share of ingest requests with a trace; replays and alerts always have one.",
        json_schema_extra=why("one trace per request is cheap; a busy product may want fewer"),
    )

    @model_validator(mode="after")
    def _headers_are_valid(self) -> "TelemetryConfig":
        self.headers()
        return self

    def headers(self) -> dict[str, str]:
        """Return the headers by name. The error about an invalid line does not quote it."""
        lines = self.otlp_headers.get_secret_value().splitlines() if self.otlp_headers else []
        return dict(_header(number, line) for number, line in enumerate(lines, start=1) if line.strip())


def _header(number: int, line: str) -> tuple[str, str]:
    found = _HEADER.fullmatch(line.strip())
    if found is None:
        raise fault("otlp_headers", f"line {number} is not a header; write it as Name: value")
    return found[1], found[2]
