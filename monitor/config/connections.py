"""Settings of the connections that each listener keeps open."""

from pydantic import Field

from monitor.config.section import Section, why


class ConnectionsConfig(Section):
    """Limits of the API, the OTLP/HTTP and the OTLP/gRPC listener, each for itself."""

    max_per_listener: int = Field(
        default=1_024,
        ge=8,
        le=20_000,
        description="Connections that one listener keeps open; fewer when the limit of open files is too low for it.",
        json_schema_extra=why(
            "each costs a file descriptor before a token is seen; exporters and people need far fewer"
        ),
    )
    header_timeout_s: float = Field(
        default=10,
        ge=1,
        le=300,
        description="Seconds within which a new connection must have sent the headers of a request.",
        json_schema_extra=why("a client that connects has a request ready"),
    )
    idle_timeout_s: float = Field(
        default=75,
        ge=1,
        le=3_600,
        description="Seconds for which a connection may wait between two requests.",
        json_schema_extra=why("exporters send every 5 to 60 s and should find their connection open"),
    )
    silent_timeout_s: float = Field(
        default=30,
        ge=1,
        le=600,
        description="Seconds without a byte of a body, or without the client reading its answer.",
        json_schema_extra=why("a client at work moves bytes; one that is gone holds a descriptor and memory"),
    )
