"""`driftd serve` as a process that is killed, terminated, and started again on the same file."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Self

import httpx
import yaml

from replay.evalsets.sealing import key_text
from tests.ports import reserved_ports

DRIFTD = (sys.executable, "-c", "from monitor.cli.main import main; main()")
READY_S = 90.0  # a start takes two seconds on an idle machine
STOP_S = 60.0
DEPLOYMENT = "support"
SET = "primes"


@dataclass(slots=True, kw_only=True)
class Daemon:
    """A daemon process. Its configuration and its database are in `folder`."""

    folder: Path
    model_url: str
    model: str = "gpt-4"
    scorer: str = "contains"
    concurrency: int = 4
    call_timeout_s: float = 60.0
    replay: dict[str, Any] = field(default_factory=dict)  # of the deployment
    more: dict[str, Any] = field(default_factory=dict)  # sections of the configuration
    environment: dict[str, str] = field(default_factory=dict)  # variables of the process, in addition to those here
    api: str = ""
    otlp: str = ""
    grpc: str = ""
    process: "subprocess.Popen[bytes] | None" = None
    http: httpx.Client = field(default_factory=lambda: httpx.Client(timeout=30))  # a new one costs 30 ms of TLS set-up

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        api_port, otlp_port, grpc_port = reserved_ports(3, Random())  # not seeded: two runs at a time must not meet
        self.api, self.otlp = f"http://127.0.0.1:{api_port}", f"http://127.0.0.1:{otlp_port}"
        self.grpc = f"http://127.0.0.1:{grpc_port}"
        (self.folder / "primes.key").write_text(key_text(bytes(range(32))))
        self.config.write_text(yaml.safe_dump(self._tree(api_port, otlp_port, grpc_port)))

    @property
    def addresses(self) -> dict[str, str]:
        return {"api": self.api, "otlp": self.otlp, "grpc": self.grpc}

    @property
    def config(self) -> Path:
        return self.folder / "driftd.yaml"

    @property
    def file(self) -> Path:
        return self.folder / "driftd.duckdb"

    @property
    def log(self) -> str:
        return (self.folder / "daemon.log").read_text()

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self, *options: str) -> None:
        """Start the process; `wait_ready` waits until it answers."""
        with (self.folder / "daemon.log").open("ab") as log:
            self.process = subprocess.Popen(
                [*DRIFTD, "serve", "--config", str(self.config), *options],
                env={**os.environ, **self.environment},
                stdout=subprocess.DEVNULL,
                stderr=log,
            )

    def wait_ready(self) -> float:
        """Wait until /healthz answers. Return the seconds."""
        began = time.monotonic()
        while time.monotonic() < began + READY_S:
            assert self.process is not None
            assert self.process.poll() is None, f"the daemon left with {self.process.returncode}:\n{self.log[-3000:]}"
            try:
                self.http.get(f"{self.api}/healthz", timeout=2).raise_for_status()
            except httpx.HTTPError:
                time.sleep(0.01)
            else:
                return time.monotonic() - began
        raise TimeoutError(f"no answer from the daemon within {READY_S:.0f} s:\n{self.log[-3000:]}")

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def send_signal(self, number: signal.Signals = signal.SIGTERM) -> None:
        os.kill(self.pid, number)

    def leave(self, timeout_s: float = STOP_S) -> int:
        """Wait until the process ends by itself. Return its exit code."""
        assert self.process is not None
        try:
            return self.process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def stop(self) -> int:
        self.send_signal()
        return self.leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process is not None and self.process.poll() is None:
            self.kill()
        self.http.close()

    def get(self, path: str, **query: str) -> dict[str, Any]:
        return dict(self.http.get(f"{self.api}/api/v1/{path}", params=query).raise_for_status().json())

    def post(self, path: str, body: object) -> dict[str, Any]:
        return dict(self.http.post(f"{self.api}/api/v1/{path}", json=body).raise_for_status().json())

    def rss_mb(self) -> float:
        """Return the current memory of the process in MB."""
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) / 1024
        raise RuntimeError(f"process {self.pid} has no memory: it has ended")

    def _tree(self, api_port: int, otlp_port: int, grpc_port: int) -> dict[str, Any]:
        target = {
            "base_url": self.model_url,
            "model": self.model,
            "concurrency": self.concurrency,
            "timeout_s": self.call_timeout_s,
        }
        ports = {"otlp": {"port": otlp_port}, "otlp_grpc": {"port": grpc_port}}
        sections = {
            "store": {"path": str(self.file)},
            "api": {"port": api_port},
            "deployments": {DEPLOYMENT: {"target": "model", "sets": [SET], "replay": self.replay}},
            "targets": {"model": target},
            "sets": {SET: {"kind": "frozen", "key_file": "primes.key", "scorers": [{"kind": self.scorer}]}},
        }
        return sections | self.more | {"ingest": ports | self.more.get("ingest", {})}
