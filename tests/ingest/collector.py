"""A real OpenTelemetry Collector, built by `.ci/otelcol`. It exports each request before it answers."""

import os
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest
import yaml

ROOT = Path(__file__).parents[2]
BUILDER = ROOT / ".ci/otelcol"
HOW = "run `.ci/otelcol`, which builds one, or name one with the environment variable OTELCOL"
START_S = 30.0
AT_ONCE = {"sending_queue": {"enabled": False}, "retry_on_failure": {"enabled": False}}


def find_collector(env: Mapping[str, str]) -> Path | None:
    """Return the path of a Collector, or None. Raise an error when OTELCOL names no file."""
    if named := env.get("OTELCOL"):
        if not Path(named).is_file():
            pytest.fail(f"OTELCOL is {named}, which is no file; {HOW}")
        return Path(named)
    reported = subprocess.run([BUILDER, "--where"], env=dict(env), capture_output=True, text=True, check=True)
    built = Path(reported.stdout.strip())
    return built if built.is_file() else None


def without_collector(env: Mapping[str, str]) -> NoReturn:
    """Skip on a developer's machine; fail in CI."""
    if env.get("CI"):
        pytest.fail(f"there is no OpenTelemetry Collector; {HOW}")
    pytest.skip(f"there is no OpenTelemetry Collector; {HOW}")


@contextmanager
def collecting(folder: Path, exporter: str, settings: Mapping[str, Any]) -> Iterator[httpx.Client]:
    """Run a Collector that forwards traces and logs to one exporter with these settings, and yield its client."""
    binary = find_collector(os.environ)
    if binary is None:
        without_collector(os.environ)
    port = _free_port()
    pipeline = {"receivers": ["otlp"], "exporters": [exporter]}
    config = {
        "receivers": {"otlp": {"protocols": {"http": {"endpoint": f"127.0.0.1:{port}"}}}},
        "exporters": {exporter: dict(settings)},
        "service": {
            "telemetry": {"metrics": {"level": "none"}, "logs": {"level": "warn"}},
            "pipelines": {"traces": pipeline, "logs": pipeline},
        },
    }
    (folder / "collector.yaml").write_text(yaml.safe_dump(config))
    log = folder / "collector.log"
    with log.open("wb") as result:
        process = subprocess.Popen(
            [binary, "--config", f"file:{folder / 'collector.yaml'}"], stdout=result, stderr=result
        )
    try:
        _wait_for(port, process, log)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            yield client
    finally:
        process.terminate()
        process.wait(timeout=30)


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as submitted:
        return int(submitted.getsockname()[1])


def _wait_for(port: int, process: "subprocess.Popen[bytes]", log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until:
        assert process.poll() is None, f"the Collector ended:\n{log.read_text()[-3000:]}"
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    raise TimeoutError(f"no Collector at port {port} within {START_S:.0f} s:\n{log.read_text()[-3000:]}")
