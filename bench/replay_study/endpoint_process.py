"""The endpoint in a process of its own, for as long as it is measured with."""

import json
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.replay_study.endpoint import EndpointCounts

ROOT = Path(__file__).resolve().parents[2]


class EndpointProcess:
    """Asked over HTTP like by any client; these requests are not counted."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # loopback goes by no proxy

    @property
    def base_url(self) -> str:
        return f"{self.address}/v1"

    def begin(self, latency_ms: float, reply_characters: int = 0) -> None:
        """Counts from 0 again. Each answer is followed by `reply_characters` of prose."""
        self._ask("POST", f"/_begin?latency_ms={latency_ms}&reply_characters={reply_characters}")

    def counts(self) -> EndpointCounts:
        return EndpointCounts(**json.loads(self._ask("GET", "/_counts")))

    def _ask(self, method: str, path: str) -> bytes:
        request = urllib.request.Request(self.address + path, method=method)
        with self._opener.open(request, timeout=30) as response:
            body: bytes = response.read()
        return body


@contextmanager
def running_endpoint() -> Iterator[EndpointProcess]:
    process = subprocess.Popen(
        [sys.executable, "-m", "bench.replay_study.endpoint"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield EndpointProcess(process.stdout.readline().strip())
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(timeout=30)
