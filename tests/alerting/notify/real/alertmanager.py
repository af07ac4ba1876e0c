"""A real Alertmanager of Debian, from `.ci/alertmanager`. It notifies a sink by webhook."""

import os
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import httpx
import pytest
import yaml

from tests.alerting.notify.hook import Hook, listening
from tests.ports import free_port

ROOT = Path(__file__).parents[4]
FETCHER = ROOT / ".ci/alertmanager"
HOW = "run `.ci/alertmanager`, which downloads it, or name one with the environment variable ALERTMANAGER"
START_S = 30.0


@dataclass(frozen=True, kw_only=True)
class Alertmanager:
    """`sink` gets the notifications of Alertmanager: each has a status and a list of alerts."""

    url: str
    sink: Hook

    def alerts(self) -> dict[str, dict[str, Any]]:
        """Return the alerts that are active, by name."""
        found = httpx.get(f"{self.url}/api/v2/alerts", timeout=10.0).raise_for_status().json()
        return {alert["labels"]["alertname"]: alert for alert in found}

    def groups(self) -> list[dict[str, Any]]:
        groups: list[dict[str, Any]] = httpx.get(f"{self.url}/api/v2/alerts/groups", timeout=10.0).json()
        return groups

    def states(self) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
        """Return status, and name and status of each alert, of every notification of the sink."""
        return [
            (body["status"], tuple(sorted((one["labels"]["alertname"], one["status"]) for one in body["alerts"])))
            for body in self.sink.bodies
        ]


def find_alertmanager(env: Mapping[str, str]) -> Path | None:
    """Return the path of an Alertmanager, or None. Raise an error when ALERTMANAGER names no file."""
    if named := env.get("ALERTMANAGER"):
        if not Path(named).is_file():
            pytest.fail(f"ALERTMANAGER is {named}, which is no file; {HOW}")
        return Path(named)
    reported = subprocess.run([FETCHER, "--where"], env=dict(env), capture_output=True, text=True, check=True)
    found = Path(reported.stdout.strip())
    return found if found.is_file() else None


def without_alertmanager(env: Mapping[str, str]) -> NoReturn:
    """Skip on a developer's machine; fail in CI."""
    if env.get("CI"):
        pytest.fail(f"there is no Alertmanager; {HOW}")
    pytest.skip(f"there is no Alertmanager; {HOW}")


@contextmanager
def running(folder: Path, *, port: int = 0) -> Iterator[Alertmanager]:
    """Run an Alertmanager that groups by deployment and notifies the sink within a second.

    Its `resolve_timeout` is one second, for alerts without an end.
    """
    binary = find_alertmanager(os.environ)
    if binary is None:
        without_alertmanager(os.environ)
    folder.mkdir(parents=True, exist_ok=True)
    with listening() as sink:
        sink.status = 200
        config = {
            "global": {"resolve_timeout": "1s"},
            "route": {
                "receiver": "sink",
                "group_by": ["deployment"],
                "group_wait": "500ms",
                "group_interval": "500ms",
                "repeat_interval": "1h",
            },
            "receivers": [{"name": "sink", "webhook_configs": [{"url": sink.url, "send_resolved": True}]}],
        }
        (folder / "alertmanager.yml").write_text(yaml.safe_dump(config))
        port, log = port or free_port(), folder / "alertmanager.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [
                    binary,
                    f"--config.file={folder / 'alertmanager.yml'}",
                    f"--storage.path={folder / 'data'}",
                    f"--web.listen-address=127.0.0.1:{port}",
                    "--cluster.listen-address=",
                ],
                stdout=output,
                stderr=output,
            )
        try:
            url = f"http://127.0.0.1:{port}"
            wait_for(lambda: process.poll() is None and _is_ready(url), lambda: log.read_text()[-3000:])
            yield Alertmanager(url=url, sink=sink)
        finally:
            process.terminate()
            process.wait(timeout=30)


def wait_for(condition: Callable[[], bool], what: Callable[[], object] = lambda: "", within_s: float = START_S) -> None:
    """Wait until the condition is true. Raise TimeoutError with `what()` after `within_s` seconds."""
    until = time.monotonic() + within_s
    while not condition():
        if time.monotonic() > until:
            raise TimeoutError(f"not within {within_s:.0f} s: {what()}")
        time.sleep(0.05)


def _is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/-/ready", timeout=5.0).status_code == 200
    except httpx.TransportError:
        return False
