"""Detect requests that arrive at the wrong port of driftd, and name the right one."""

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from monitor.printable import printable

log = logging.getLogger(__name__)
OTLP_PATHS: Final = ("/v1/traces", "/v1/logs", "/v1/metrics")
GRPC_PATH: Final = "/opentelemetry.proto.collector."
# Paths of compatible clients (Langfuse, MLflow, Phoenix, LangSmith), which use the port of OTLP/HTTP.
CLIENT_PATHS: Final = (
    "/api/public/", "/api/2.0/mlflow/", "/api/3.0/mlflow/", "/arize_phoenix_version", "/v1/span", "/v1/trace_",
    "/v1/session_", "/v1/document_", "/v1/projects", "/runs", "/feedback", "/info", "/sessions",
)  # fmt: skip
PREFACE_METHOD: Final = "PRI"  # HTTP/2 begins with `PRI * HTTP/2.0`; a server of HTTP/1 reads it as a request
LOG_INTERVAL_S: Final = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ports:
    """The configured ports of the listeners. 0 selects a free port, which is not known in advance."""

    api: int = 0
    otlp: int = 0
    grpc: int = 0


def port_at_api(path: str, ports: Ports) -> str | None:
    """Return a sentence that names the right port for a path that the API does not have; None for an unknown one."""
    if path.startswith(GRPC_PATH):
        return f"this is the port of the API; send OTLP/gRPC to {_named(ports.grpc, 'ingest.otlp_grpc')}"
    otlp = _named(ports.otlp, "ingest.otlp")
    if path.endswith(OTLP_PATHS):
        return (
            f"this is the port of the API; send OTLP/HTTP to {otlp}, or OTLP/gRPC to "
            f"{_named(ports.grpc, 'ingest.otlp_grpc')}"
        )
    if path.startswith(CLIENT_PATHS):
        return f"this is the port of the API; clients of other products use {otlp}, as OTLP/HTTP does"
    return None


def port_at_otlp(path: str, ports: Ports) -> str | None:
    """Return a sentence that names the right port for a path that OTLP/HTTP does not have; None for an unknown one."""
    if path.startswith("/api/v1/"):
        return f"this is the port of OTLP/HTTP; send API requests and native JSON to {_named(ports.api, 'api')}"
    if path.startswith(GRPC_PATH):
        return f"this is the port of OTLP/HTTP; send OTLP/gRPC to {_named(ports.grpc, 'ingest.otlp_grpc')}"
    return None


class GrpcClientLog:
    """Log that a gRPC client connected to a port of HTTP/1. The client cannot display an HTTP/1 response."""

    def __init__(self, listener: str, ports: Ports, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._listener, self._ports, self._monotonic = listener, ports, monotonic
        self._silenced_until_s = float("-inf")

    def record(self, method: str, address: str) -> None:
        """Log the request if it is from a gRPC client, at most once in `LOG_INTERVAL_S` seconds."""
        if method != PREFACE_METHOD or (now_s := self._monotonic()) < self._silenced_until_s:
            return
        self._silenced_until_s = now_s + LOG_INTERVAL_S
        log.warning(
            "a gRPC client at %s connected to the port of %s, which accepts only HTTP/1; send OTLP/gRPC to %s",
            *(printable(address), self._listener, _named(self._ports.grpc, "ingest.otlp_grpc")),
        )


def _named(port: int, key: str) -> str:
    return f"port {port} ({key}.port)" if port else f"the port of {key}"
