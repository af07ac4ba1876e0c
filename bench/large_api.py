"""Time every GET of the API over a large store: `python bench/large_api.py FOLDER`.

`bench/large_store.py FOLDER` writes the store. Each request is made three times against a daemon of its own. The table
has the slowest answer first; the memory and the time to stop follow. The exit code is 1 when an answer took longer than
`--most` seconds.
"""

import argparse
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import httpx

TIMES: Final = 3
START_S: Final = 120.0
PATIENCE_S: Final = 60.0
VALUES: Final[dict[str, str]] = {
    "deployment": "bot",
    "set": "private",
    "set_name": "private",
    "run": "run-0",
    "baseline": "run-3",
    "candidate": "run-0",
    "case_id": "case-7",
    "case": "case-7",
    "name": "private",
}
BY_PATH: Final[dict[str, str]] = {"runs": "run-0", "outcomes": "run-0", "findings": "finding-0", "sets": "private"}
SKIPPED: Final = ("/metrics", "/openapi.json")  # no answers about stored rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    path: str
    status: int
    slowest_s: float
    bytes: int


def requests_of(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, str]]]:
    """Every GET of the OpenAPI document with the parameters that it demands, and lists for one deployment too."""
    for path, methods in document["paths"].items():
        if "get" not in methods or path in SKIPPED:
            continue
        parameters = methods["get"].get("parameters", [])
        noun = path.split("/")[3] if path.count("/") > 2 else ""
        filled = re.sub(r"{\w+}", BY_PATH.get(noun, "x"), path)
        needed = {p["name"]: VALUES.get(p["name"], "x") for p in parameters if p["in"] == "query" and p.get("required")}
        yield filled, needed
        if any(p["name"] == "deployment" for p in parameters) and "deployment" not in needed:
            yield filled, {**needed, "deployment": "bot"}


@contextmanager
def daemon(config: Path) -> Iterator[tuple[str, "subprocess.Popen[bytes]"]]:
    [port] = re.findall(r"api: {port: (\d+)", config.read_text())
    url = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-c", "from monitor.cli.main import main; main()", "serve", "--config", str(config)]
    with (config.parent / "daemon.log").open("wb") as log:
        process = subprocess.Popen(command, stderr=log)
        try:
            _wait(url, process)
            yield url, process
        finally:
            started = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.wait(60)
            print(f"\nstopped in {time.monotonic() - started:.1f} s, exit code {process.returncode}")


def _wait(url: str, process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            if httpx.get(f"{url}/healthz", timeout=1).is_success:
                return
        except httpx.HTTPError:
            time.sleep(0.1)
    raise SystemExit("the daemon did not start; see daemon.log in the folder")


def ask(client: httpx.Client, path: str, query: dict[str, str]) -> Answer:
    took: list[float] = []
    for _ in range(TIMES):
        started = time.monotonic()
        try:
            response = client.get(path, params=query)
        except httpx.TimeoutException:
            return Answer(path=f"{path} {query}", status=0, slowest_s=time.monotonic() - started, bytes=0)
        took.append(time.monotonic() - started)
    shown = f"{path}?{'&'.join(f'{k}={v}' for k, v in query.items())}" if query else path
    return Answer(path=shown, status=response.status_code, slowest_s=max(took), bytes=len(response.content))


def measure(config: Path, most_s: float, only: str) -> bool:
    with daemon(config) as (url, process), httpx.Client(base_url=url, timeout=PATIENCE_S) as client:
        document = client.get("/openapi.json").json()
        answers = [ask(client, path, query) for path, query in requests_of(document) if only in path]
        memory = re.findall(r"VmHWM:\s+(\d+)", Path(f"/proc/{process.pid}/status").read_text())
        print(f"{'slowest s':>10} {'status':>6} {'bytes':>9}  GET")
        for one in sorted(answers, key=lambda one: -one.slowest_s):
            print(f"{one.slowest_s:10.3f} {one.status:6} {one.bytes:9}  {one.path}")
        print(f"memory at most {int(memory[0]) // 1024 if memory else 0} MiB")
    return all(one.slowest_s <= most_s for one in answers)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--most", type=float, default=2.0, help="seconds an answer may take")
    parser.add_argument("--only", default="", help="paths that contain this text")
    asked = parser.parse_args()
    sys.exit(0 if measure(asked.folder / "driftd.yaml", asked.most, asked.only) else 1)


if __name__ == "__main__":
    main()
