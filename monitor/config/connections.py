"""Settings of the connections that each listener keeps open, and of the requests that it accepts."""

from typing import Annotated

from pydantic import Field, StringConstraints

from monitor.config.section import Section, why

HostName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$")]
Origin = Annotated[str, StringConstraints(pattern=r"^https?://[^\s/]+$")]


class ConnectionsConfig(Section):
    """Limits and checks of each listener: the API, OTLP/HTTP, OTLP/gRPC and the dashboard."""

    max_per_listener: int = Field(
        default=1_024,
        ge=8,
        le=20_000,
        description="Open connections of one listener; fewer if the limit of open files is too low.",
        json_schema_extra=why("each uses a file descriptor before authentication; exporters and people need far fewer"),
    )
    header_timeout_s: float = Field(
        default=10,
        ge=1,
        le=300,
        description="Seconds within which a new connection must send the headers of a request.",
        json_schema_extra=why("a client connects when its request is ready"),
    )
    idle_timeout_s: float = Field(
        default=75,
        ge=1,
        le=3_600,
        description="Seconds for which a connection may be idle between two requests.",
        json_schema_extra=why("exporters send every 5 to 60 s and should find their connection open"),
    )
    body_timeout_s: float = Field(
        default=30,
        ge=1,
        le=600,
        description="Seconds without a byte of the body, or without the client reading its response.",
        json_schema_extra=why("an active client moves bytes; a stalled one holds a descriptor and memory"),
    )
    allowed_hosts: tuple[HostName, ...] = Field(
        default=(),
        description="Names by which HTTP clients may call driftd, without a port. IP addresses and names without a dot "
        "are always accepted. Default: every name, and for a dashboard on loopback only names of this machine.",
        json_schema_extra=why("a page after DNS rebinding has no token; behind a proxy the names are yours"),
    )
    allowed_origins: tuple[Origin, ...] = Field(
        default=(),
        description="Origins of web pages that may send requests, for example https://tools.example. Default: only "
        "pages of the same host.",
        json_schema_extra=why("programs send no Origin, and pages of other sites have no business here"),
    )
