"""A daemon with few file descriptors, while clients open connections and send nothing."""

import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.cli.house import running_model, write_house
from tests.cli.test_serve import DRIFTD, PATIENCE_S, wait_until_ready
from tests.ports import free_ports

FILES = 256
LIMITED = f'ulimit -n {FILES}; exec "$@"'
IDLE = 450
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
AT = "2026-11-20T12:00:00Z"


@dataclass
class Daemon:
    process: "subprocess.Popen[str]"
    log: Path
    api: int
    http: int
    grpc: int


@pytest.fixture
def daemon(tmp_path: Path) -> Iterator[Daemon]:
    api, http, over_grpc = free_ports(3)
    with running_model() as model:
        config = write_house(tmp_path, model_url=model.url, api_port=api, otlp_port=http, grpc_port=over_grpc)
        config.write_text(config.read_text() + "connections: {header_timeout_s: 4}\n")
        with (tmp_path / "log").open("w") as log:
            process = subprocess.Popen(
                ["sh", "-c", LIMITED, "sh", *DRIFTD, "serve", "--config", str(config)], stderr=log, text=True
            )
            wait_until_ready(f"http://127.0.0.1:{api}", process)
            try:
                yield Daemon(process=process, log=tmp_path / "log", api=api, http=http, grpc=over_grpc)
            finally:
                process.send_signal(signal.SIGTERM)
                process.wait(PATIENCE_S)


def idle(stack: ExitStack, port: int, count: int = IDLE, first: bytes = b"") -> None:
    """Open connections that send nothing, or only the first bytes."""
    for _ in range(count):
        opened = stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        if first:
            opened.send(first)


def send_native(daemon: Daemon, span: str) -> int:
    call = {"deployment": "support", "started_at": AT, "trace_id": "0af7651916cd43dd8448eb211c80319c", "span_id": span}
    with httpx.Client(timeout=10) as new:
        return new.post(f"http://127.0.0.1:{daemon.api}/api/v1/interactions", json=call).status_code


def send_http(daemon: Daemon) -> int:
    body = ExportTraceServiceRequest().SerializeToString()
    headers = {"content-type": "application/x-protobuf"}
    with httpx.Client(timeout=10) as new:
        return new.post(f"http://127.0.0.1:{daemon.http}/v1/traces", content=body, headers=headers).status_code


def send_grpc(daemon: Daemon, patience_s: float) -> bytes:
    """Send with a new channel, and retry as exporters do."""
    with grpc.insecure_channel(f"127.0.0.1:{daemon.grpc}", options=[("grpc.max_reconnect_backoff_ms", 500)]) as channel:
        call: Any = channel.unary_unary(EXPORT)
        answer: bytes = call(ExportTraceServiceRequest().SerializeToString(), timeout=patience_s, wait_for_ready=True)
        return answer


def test_idle_connections_do_not_keep_out_those_that_send(daemon: Daemon) -> None:
    with ExitStack() as stack:
        for port in (daemon.api, daemon.http, daemon.grpc):
            idle(stack, port)
        for n in range(5):
            assert send_native(daemon, f"{n + 1:016x}") == 200
            assert send_http(daemon) == 200
        assert send_grpc(daemon, 20) == b""
        with httpx.Client(base_url=f"http://127.0.0.1:{daemon.api}", timeout=10) as api:
            assert api.get("/readyz").status_code == 200
            metrics = api.get("/metrics").text
    assert daemon.process.poll() is None
    log = daemon.log.read_text()
    assert "limit of open files: 256" in log
    assert "connections.max_per_listener: 1024, but the limit of open files allows 42" in log
    assert re.search(r'driftd_connections_closed_total\{listener="api",reason="replaced"\} [1-9]', metrics)
    assert len(log) < 50_000, log[-2000:]
    assert "crashed" not in log


def test_a_connection_that_never_completes_its_headers_is_closed(daemon: Daemon) -> None:
    with socket.create_connection(("127.0.0.1", daemon.http), timeout=15) as slow:
        slow.send(b"POST /v1/traces HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        with suppress(ConnectionResetError):
            assert slow.recv(1) == b""  # the daemon closes it before the timeout of this client
