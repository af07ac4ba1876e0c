"""A Ray cluster of some nodes on this machine, each a group of processes that a test can kill."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.kills.waiting import until
from tests.ports import free_port

HOST = "127.0.0.1"
STARTED = "Ray runtime started"
STORE_BYTES = 75 * 2**20  # the least that Ray allows


@dataclass(slots=True, kw_only=True)
class RayNodes:
    """The nodes by name. The first has the services of the cluster."""

    port: int
    folder: Path
    environment: dict[str, str]
    running: dict[str, "subprocess.Popen[bytes]"] = field(default_factory=dict)

    @property
    def address(self) -> str:
        return f"{HOST}:{self.port}"

    def add(self, name: str, *, cpus: int) -> None:
        if self.running:
            place = ["--address", self.address]
        else:  # a dashboard without its packages serves nothing
            place = ["--head", "--port", str(self.port), "--temp-dir", str(self.folder), "--include-dashboard", "false"]
        log = self.folder / f"{name}.log"
        options = ["--node-ip-address", HOST, "--num-cpus", str(cpus), "--object-store-memory", str(STORE_BYTES)]
        free_ports = ["--min-worker-port", "0", "--max-worker-port", "0"]
        with log.open("wb") as output:
            self.running[name] = subprocess.Popen(
                [sys.executable, "-m", "ray.scripts.scripts", "start", *place, *options, *free_ports, "--block"],
                env=self.environment,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )
        until(lambda: STARTED in log.read_text() or self.running[name].poll() is not None, f"{name} has started")
        assert self.running[name].poll() is None, log.read_text()

    def remove(self, name: str) -> None:
        """Kill all processes of a node at once; its workers end with them."""
        process = self.running.pop(name)
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextmanager
def running_ray() -> Iterator[RayNodes]:
    """Yield a cluster without nodes, and remove those that it has at the end."""
    if find_spec("ray") is None:
        required = os.environ.get("RAY_REQUIRED")
        (pytest.fail if required else pytest.skip)("there is no Ray; run `make test-lake-ray`, which installs it")
    folder = Path(tempfile.mkdtemp(prefix="ray-"))  # the path of a socket has at most 107 characters
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    nodes = RayNodes(port=free_port(), folder=folder, environment=environment)
    try:
        yield nodes
    finally:
        for name in reversed([*nodes.running]):
            nodes.remove(name)
        shutil.rmtree(folder, ignore_errors=True)
