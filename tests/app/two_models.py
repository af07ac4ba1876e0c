"""An endpoint with an alias and dated models, in front of two recorded endpoints."""

import json
import threading
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

import httpx

from replay.recorded.data import RecordedData
from replay.recorded.endpoint import RecordedEndpoint

ALIAS = "gpt-4"


class TwoModels:
    """`alias` serves one of `snapshots`; each of `offered` can also be requested by its own name."""

    def __init__(self, data: RecordedData, snapshots: tuple[str, ...], *, offered: tuple[str, ...]) -> None:
        self.alias, self.offered = snapshots[0], offered
        self.asked: Counter[str] = Counter()
        self.traces: list[tuple[str, str]] = []  # model asked for, trace id of the call
        self._behind = {name: RecordedEndpoint(data, snapshot=name, model=name) for name in snapshots}

    def __enter__(self) -> Self:
        self._urls = {name: endpoint.start() for name, endpoint in self._behind.items()}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        for endpoint in self._behind.values():
            endpoint.stop()

    @property
    def base_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, body: bytes, sample: str | None, traceparent: str) -> tuple[int, bytes]:
        wanted = json.loads(body)
        name = str(wanted["model"])
        self.asked[name] += 1
        self.traces.append((name, traceparent.split("-")[1]))
        snapshot = self.alias if name == ALIAS else name
        wanted["model"] = snapshot
        headers = {} if sample is None else {"x-driftd-sample": sample}
        found = httpx.post(f"{self._urls[snapshot]}/chat/completions", json=wanted, headers=headers)
        return found.status_code, found.content

    def models(self) -> bytes:
        return json.dumps({"object": "list", "data": [{"id": name} for name in (ALIAS, *self.offered)]}).encode()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        models = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._send(200, models.models())

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                self._send(*models.answer(body, self.headers["x-driftd-sample"], self.headers["traceparent"]))

            def log_message(self, *_: object) -> None:
                """Suppress the log."""

            def _send(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        return Handler
