"""Passes the requests of the pages to the daemon, and records them."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final

import httpx

PASSED: Final = ("accept", "authorization", "content-type", "driftd-user")
RETURNED: Final = ("content-type", "content-encoding")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A request of a page. The times are of one clock, in seconds."""

    target: str  # path and query
    began_s: float
    ended_s: float


@dataclass(slots=True, kw_only=True)
class Record:
    """The requests since the last `take`, in the order of their ends."""

    url: str
    _exchanges: list[Exchange] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, exchange: Exchange) -> None:
        with self._lock:
            self._exchanges.append(exchange)

    def take(self) -> list[Exchange]:
        with self._lock:
            taken, self._exchanges = self._exchanges, []
        return taken


def round_trips(exchanges: list[Exchange]) -> int:
    """Return how many requests had to wait for one another: the longest chain in which each starts after the end of the
    one before it.
    """
    chain, last_end_s = 0, -1.0
    for one in sorted(exchanges, key=lambda one: one.ended_s):
        if one.began_s >= last_end_s:
            chain, last_end_s = chain + 1, one.ended_s
    return chain


@contextmanager
def recording(daemon_url: str) -> Iterator[Record]:
    """Yield the record of a relay whose `url` answers as the daemon does."""
    with httpx.Client(base_url=daemon_url, timeout=60.0) as client:
        server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
        record = Record(url=f"http://127.0.0.1:{server.server_port}")
        server.RequestHandlerClass = _handler(client, record)
        thread = threading.Thread(target=server.serve_forever, name="relay")
        thread.start()
        try:
            yield record
        finally:
            server.shutdown()
            thread.join()
            server.server_close()


def _handler(client: httpx.Client, record: Record) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            began_s = time.monotonic()
            headers = {name: self.headers[name] for name in PASSED if name in self.headers}
            with client.stream("GET", self.path, headers=headers) as answer:
                body = b"".join(answer.iter_raw())
            record.add(Exchange(target=self.path, began_s=began_s, ended_s=time.monotonic()))
            self.send_response(answer.status_code)
            for name in RETURNED:
                if name in answer.headers:
                    self.send_header(name, answer.headers[name])
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *_args: object) -> None:  # noqa: A002 - the name of the base class
            """Log nothing."""

    return Handler
