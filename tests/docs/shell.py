"""A shell that runs commands of the documentation as they are printed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import httpx

SHELL_S = 240
START_S = 120.0
STOP_S = 60.0


class Shell:
    """A shell in a folder, with `driftd` and `python` of this environment as commands."""

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self.folder = folder
        binaries = folder / "bin"
        binaries.mkdir(parents=True)
        for name, program in {"driftd": "-c 'from monitor.cli.main import main; main()'", "python": ""}.items():
            command = binaries / name
            command.write_text(f'#!/bin/sh\nexec {sys.executable} {program} "$@"\n')
            command.chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{binaries}:{os.environ['PATH']}", **(environment or {})}

    def run(self, line: str, *, codes: tuple[int, ...] = (0,), timeout_s: float = SHELL_S) -> str:
        """Run a line to its end and return its standard output."""
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        assert done.returncode in codes, f"{line}\n{done.stdout}\n{done.stderr}"
        assert "Traceback" not in done.stderr
        return done.stdout

    @contextmanager
    def serving(self, line: str, *ready: str, codes: tuple[int, ...] = (0,)) -> Iterator[None]:
        """Run a line that serves, from the first good answers of `ready` to SIGTERM. Check its exit code."""
        log = self.folder / "serving.log"
        with log.open("w") as output:
            process = subprocess.Popen(
                ["bash", "-c", f"exec {line}"], cwd=self.folder, env=self.environment, stdout=output, stderr=output
            )
        try:
            for url in ready:
                _wait_for(url, process, log)
            yield
            process.send_signal(signal.SIGTERM)
            assert process.wait(STOP_S) in codes, log.read_text()
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def _wait_for(url: str, process: "subprocess.Popen[bytes]", log: Path) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(url, timeout=2).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"{url} does not answer: {log.read_text()}")
