"""A real Prometheus in a folder of its own, on a free port."""

import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import yaml

from tests.observability.real.promtool import find_promtool
from tests.ports import free_port

START_S = 60.0


def until(what: str, condition: Callable[[], bool], within_s: float = START_S) -> None:
    """Wait until the condition is true. A refused connection counts as false."""
    deadline = time.monotonic() + within_s
    while True:
        try:
            if condition():
                return
        except httpx.HTTPError:
            pass
        assert time.monotonic() < deadline, f"{what}: not within {within_s:.0f} s"
        time.sleep(0.2)


@dataclass(frozen=True, kw_only=True)
class Prometheus:
    url: str

    def query(self, expr: str) -> list[dict[str, Any]]:
        """Return the series of an expression now. An error of Prometheus has the expression."""
        answer = httpx.post(f"{self.url}/api/v1/query", data={"query": expr}, timeout=30.0).json()
        assert answer["status"] == "success", (expr, answer)
        result = answer["data"]["result"]
        return list(result)

    def value(self, expr: str) -> float:
        [one] = self.query(expr)
        return float(one["value"][1])

    def alerts(self) -> list[dict[str, Any]]:
        return list(httpx.get(f"{self.url}/api/v1/alerts", timeout=30.0).json()["data"]["alerts"])


@contextmanager
def running(folder: Path, config: Path | Mapping[str, Any]) -> Iterator[Prometheus]:
    """Run a Prometheus with a configuration, or with the file of one."""
    binary = find_promtool().with_name("prometheus")
    folder.mkdir(parents=True, exist_ok=True)
    path = config if isinstance(config, Path) else folder / "prometheus.yml"
    if not isinstance(config, Path):
        path.write_text(yaml.safe_dump(dict(config)))
    port = free_port()
    arguments = [f"--config.file={path}", f"--storage.tsdb.path={folder / 'data'}"]
    arguments += [f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"]
    with (folder / "prometheus.log").open("wb") as log:
        process = subprocess.Popen([binary, *arguments], stdout=log, stderr=subprocess.STDOUT, cwd=folder)
    try:
        one = Prometheus(url=f"http://127.0.0.1:{port}")
        until("Prometheus is ready", lambda: httpx.get(f"{one.url}/-/ready").status_code == httpx.codes.OK)
        yield one
    finally:
        process.terminate()
        process.wait(30)
