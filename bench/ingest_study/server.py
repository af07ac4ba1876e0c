"""Run a measured server in its own folder, optionally on one core, and read its resource usage from outside."""

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

READY_S = 180.0
STOP_S = 60.0
_TICKS = os.sysconf("SC_CLK_TCK")
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # no proxy for loopback


class ServerFailedError(Exception):
    """The server did not start, or ended early. The message has the end of its log."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to start a server. `ready` answers 200 to GET when the server is ready. `data` are its files on disk."""

    argv: Sequence[str]
    folder: Path
    env: Mapping[str, str]
    address: str
    path: str
    ready: str
    data: Sequence[Path]
    headers: tuple[tuple[str, str], ...] = ()


class Server:
    """A context manager that runs the server."""

    def __init__(self, recipe: Recipe, *, cores: frozenset[int] | None = None) -> None:
        self.recipe = recipe
        self._cores = cores
        self._log = recipe.folder / "server.log"

    def __enter__(self) -> Self:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                list(self.recipe.argv),
                cwd=self.recipe.folder,
                env=dict(self.recipe.env),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        if self._cores:
            os.sched_setaffinity(self._process.pid, self._cores)  # before it has threads and children, which inherit it
        self._wait_ready()
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                self._process.wait(STOP_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def kill(self) -> None:
        """End the process with SIGKILL, which leaves it no time to tidy up."""
        self._process.kill()
        self._process.wait()

    def cpu_s(self) -> float:
        """User and system time of the process and all its children so far."""
        return sum(_cpu_s(pid) for pid in self._pids())

    def peak_rss_mb(self) -> float:
        """The sum of the peak memory of all its processes."""
        return sum(_memory_mb(pid, "VmHWM:") for pid in self._pids())

    def rss_mb(self) -> float:
        """The sum of the current memory of all its processes."""
        return sum(_memory_mb(pid, "VmRSS:") for pid in self._pids())

    def disk_bytes(self) -> int:
        """The size of all its files."""
        return sum(file.stat().st_size for place in self.recipe.data for file in _files(place))

    def _pids(self) -> list[int]:
        """Return the process and its descendants."""
        found = [self._process.pid]
        for pid in found:
            for children in Path(f"/proc/{pid}/task").glob("*/children"):
                found.extend(int(child) for child in children.read_text().split())
        return found

    def _wait_ready(self) -> None:
        until = time.monotonic() + READY_S
        while time.monotonic() < until:
            if self._process.poll() is not None:
                break
            try:
                with _OPENER.open(self.recipe.ready, timeout=5):
                    return
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.05)
        log_end = self._log.read_text(errors="replace")[-1500:]
        self.__exit__()
        raise ServerFailedError(f"{self.recipe.argv[0]} is not ready after {READY_S:g} s, or ended: {log_end}")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return sum(int(field) for field in fields[11:15]) / _TICKS  # including the children that it has waited for


def _memory_mb(pid: int, field: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(field):
            return int(line.split()[1]) / 1024
    return 0.0


def _files(place: Path) -> list[Path]:
    if place.is_dir():
        return [file for file in place.rglob("*") if file.is_file()]
    return [file for file in place.parent.glob(place.name + "*") if file.is_file()]
