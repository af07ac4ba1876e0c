"""A real HTTP server on loopback that takes notifications and answers as it is told."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(kw_only=True)
class Hook:
    """What came in, and what to answer. While `silent` is set, no answer comes until it is released."""

    url: str = ""
    port: int = 0
    status: int = 204
    headers: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    raw: list[bytes] = field(default_factory=list)
    received: list[dict[str, str]] = field(default_factory=list)
    answer: threading.Event = field(default_factory=threading.Event)
    arrived: threading.Event = field(default_factory=threading.Event)


@contextmanager
def listening(port: int = 0) -> Iterator[Hook]:
    hook = Hook()
    hook.answer.set()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            raw = self.rfile.read(int(self.headers["Content-Length"]))
            hook.paths.append(self.path)
            hook.bodies.append(json.loads(raw))
            hook.raw.append(raw)
            hook.received.append({name.lower(): value for name, value in self.headers.items()})
            hook.arrived.set()
            hook.answer.wait(30)
            try:
                self._answer()
            except OSError:
                self.close_connection = True  # the sender has given up

        def _answer(self) -> None:
            self.send_response_only(hook.status)
            for name, value in hook.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class's name
            """Quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    hook.port = server.server_address[1]
    hook.url = f"http://127.0.0.1:{hook.port}/hooks/s3cret?token=t0ken"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, name="hook")
    thread.start()
    try:
        yield hook
    finally:
        hook.answer.set()
        server.shutdown()
        server.server_close()
        thread.join()
