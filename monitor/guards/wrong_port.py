"""A request that came to the wrong one of driftd's ports: which one takes it."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from monitor.printable import printable

log = logging.getLogger(__name__)
OTLP_PATHS: Final = ("/v1/traces", "/v1/logs", "/v1/metrics")
GRPC_PATH: Final = "/opentelemetry.proto.collector."
# Of the clients that are served at the port of OTLP: Langfuse, MLflow, Phoenix, LangSmith.
CLIENT_PATHS: Final = (
    "/api/public/", "/api/2.0/mlflow/", "/api/3.0/mlflow/", "/arize_phoenix_version", "/v1/span", "/v1/trace_",
    "/v1/session_", "/v1/document_", "/v1/projects", "/runs", "/feedback", "/info", "/sessions",
)  # fmt: skip
PREFACE_METHOD: Final = "PRI"  # HTTP/2 begins with `PRI * HTTP/2.0`, which a server of HTTP/1 reads as a request
QUIET_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """Where the listeners are, as configured; 0 means a free one, which nobody knows in advance."""

    api: int = 0
    otlp: int = 0
    grpc: int = 0


def port_at_api(path: str, ports: Ports) -> str | None:
    """Return which port takes a path that is not there at the API's; None for a path that no port knows."""
    if path.startswith(GRPC_PATH):
        return f"this is the port of the API; OTLP over gRPC is taken at {_named(ports.grpc, 'ingest.otlp_grpc')}"
    otlp = _named(ports.otlp, "ingest.otlp")
    if path.endswith(OTLP_PATHS):
        return (
            f"this is the port of the API; send OTLP over HTTP to {otlp}, or over gRPC to "
            f"{_named(ports.grpc, 'ingest.otlp_grpc')}"
        )
    if path.startswith(CLIENT_PATHS):
        return f"this is the port of the API; clients of other products are served at {otlp}, as OTLP over HTTP is"
    return None


def port_at_otlp(path: str, ports: Ports) -> str | None:
    """The same at the port of OTLP over HTTP."""
    if path.startswith("/api/v1/"):
        return f"this is the port of OTLP over HTTP; the API and native JSON are at {_named(ports.api, 'api')}"
    if path.startswith(GRPC_PATH):
        return f"this is the port of OTLP over HTTP; over gRPC it is {_named(ports.grpc, 'ingest.otlp_grpc')}"
    return None


class GrpcClients:
    """Tells in the log that a gRPC client came to a port of HTTP/1: the client itself cannot show our answer."""

    def __init__(self, listener: str, ports: Ports, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._listener, self._ports, self._monotonic = listener, ports, monotonic
        self._quiet_until_s = float("-inf")

    def note(self, method: str, address: str) -> None:
        """Log once in a while, however often it tries."""
        if method != PREFACE_METHOD or (now_s := self._monotonic()) < self._quiet_until_s:
            return
        self._quiet_until_s = now_s + QUIET_S
        log.warning(
            "a gRPC client at %s came to the port of %s, which speaks HTTP/1: OTLP over gRPC is taken at %s",
            *(printable(address), self._listener, _named(self._ports.grpc, "ingest.otlp_grpc")),
        )


def _named(port: int, key: str) -> str:
    return f"port {port} ({key}.port)" if port else f"the port of {key}"
