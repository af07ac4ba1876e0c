"""A `driftd` command that is installed outside the checkout, and its processes."""

import os
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

START_S = 400.0  # the first start compiles every module
STOP_S = 60.0
_OF_THE_CHECKOUT = {"PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Installed:
    """The command, the Python of its environment, and a folder in which it runs."""

    command: Path
    python: Path
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in _OF_THE_CHECKOUT}
        return kept | {"PATH": f"{self.command.parent}:{kept['PATH']}"}

    def start(self, *arguments: str) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            [str(self.command), *arguments],
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments: str, timeout_s: float = START_S) -> str:
        """Run a command that must succeed, and return its standard output."""
        done = self.start(*arguments)
        out, err = done.communicate(timeout=timeout_s)
        assert done.returncode == 0, f"{arguments}\n{out}\n{err}"
        assert "Traceback" not in err
        return out

    def python_output(self, code: str) -> str:
        done = subprocess.run(
            [str(self.python), "-c", code],
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def serving(installed: Installed, *arguments: str, ready: str) -> Iterator["subprocess.Popen[str]"]:
    """Run a command that serves until SIGTERM, from the first answer of `ready`. It must stop with exit code 0."""
    process = installed.start(*arguments)
    try:
        _await(process, ready)
        yield process
        process.send_signal(signal.SIGTERM)
        _, err = process.communicate(timeout=STOP_S)
        assert process.returncode == 0, err
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def _await(process: "subprocess.Popen[str]", url: str) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            httpx.get(url, timeout=2).raise_for_status()
        except httpx.HTTPError:
            time.sleep(0.2)
        else:
            return
    process.kill()
    raise AssertionError(f"{url} does not answer: {process.communicate()}")
