"""The mock provider as an HTTP server on loopback. It answers like the real ones and records every request.

One server serves one scenario of one client. The name of the scenario selects the failure (see `trouble`).
"""

import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final

from tests.clients.provider.answers import answer
from tests.clients.provider.anthropic_messages import AnthropicMessages
from tests.clients.provider.api import Api, Failure, Wire
from tests.clients.provider.bedrock import Bedrock
from tests.clients.provider.call import Call
from tests.clients.provider.gemini import Gemini
from tests.clients.provider.openai_chat import OpenAIChat
from tests.clients.provider.openai_responses import OpenAIResponses

APIS: Final[tuple[Api, ...]] = (OpenAIChat(), OpenAIResponses(), AnthropicMessages(), Gemini(), Bedrock())
LIMITED: Final = Failure(429, "rate_limit_error", "Rate limit reached, try again.")
REFUSED: Final = Failure(400, "invalid_request_error", "This model does not take that.")
PAUSE_S: Final = 0.02  # between the chunks of a stream that the client abandons
MODELS: Final = ("gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash")


class Provider:
    """Listens on a free port. `calls` are the model requests in order."""

    def __init__(self, scenario: str) -> None:
        self.scenario = scenario
        self.calls: list[Call] = []
        self.others: list[str] = []  # other requests: a client may list models
        self._lock = threading.Lock()  # protects both lists
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._server.provider = self  # type: ignore[attr-defined]  # how a handler reaches us
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def begin(self, call: Call) -> int:
        """Record a call and return its number, from 1 on."""
        with self._lock:
            self.calls.append(call)
            return len(self.calls)

    def note(self, other: str) -> None:
        with self._lock:
            self.others.append(other)

    def trouble(self, number: int) -> Failure | None:
        """Return the failure of a call: `retry` fails once, `error` always."""
        words = self.scenario.split("_")
        if "error" in words:
            return REFUSED
        return LIMITED if "retry" in words and number == 1 else None


@contextmanager
def provider(scenario: str) -> Iterator[Provider]:
    served = Provider(scenario)
    served.start()
    try:
        yield served
    finally:
        served.stop()


class _Server(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore a client that disconnects; print any other error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _provider(self) -> Provider:
        served: Provider = self.server.provider  # type: ignore[attr-defined]  # set above
        return served

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        """Log nothing, because `calls` has the requests."""

    def do_GET(self) -> None:
        self._provider.note(f"GET {self.path}")
        if self.path.split("?")[0].endswith("/models"):
            models = [{"id": name, "object": "model", "created": 1, "owned_by": "us"} for name in MODELS]
            self._send_json(200, {"object": "list", "data": models})
        else:
            self._send_json(404, {"error": {"message": f"there is no {self.path}"}})

    def do_POST(self) -> None:
        body = self._body()
        path = self.path.split("?")[0]
        api = next((one for one in APIS if one.takes(path)), None)
        if api is None:
            self._provider.note(f"POST {self.path}")
            self._send_json(404, {"error": {"message": f"there is no {self.path}"}})
            return
        request = api.read(path, json.loads(body))
        call = Call(api=api.name, request=request, began_at=datetime.now(UTC))
        number = self._provider.begin(call)
        try:
            failure = self._provider.trouble(number)
            if failure is not None:
                call.http_status = failure.http_status
                self._send_json(failure.http_status, api.fail(failure))
                return
            long = "abandoned" in self._provider.scenario
            wire, response = api.write(request, answer(number, request, long=long))
            call.response = response
            self._send(wire, call, stream=request.stream)
        finally:
            call.ended_at = datetime.now(UTC)

    def _body(self) -> bytes:
        if "chunked" not in self.headers.get("transfer-encoding", ""):
            return self.rfile.read(int(self.headers.get("content-length", 0)))
        body = b""
        while size := int(self.rfile.readline().split(b";")[0], 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _send_json(self, status: int, document: Mapping[str, Any]) -> None:
        body = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        if status == LIMITED.http_status:
            self.send_header("retry-after-ms", "5")
            self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(body)

    def _send(self, wire: Wire, call: Call, *, stream: bool) -> None:
        """Send an answer, a stream in chunks. A disconnected client shows when a later chunk cannot be written."""
        if not stream:
            body = b"".join(wire.pieces)
            self.send_response(200)
            self.send_header("content-type", wire.content_type)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
            return
        self.send_response(200)
        self.send_header("content-type", wire.content_type)
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        pause = PAUSE_S if "abandoned" in self._provider.scenario else 0.001
        try:
            for piece in wire.pieces:
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
                time.sleep(pause)
            self.wfile.write(b"0\r\n\r\n")
        except (BrokenPipeError, ConnectionResetError):
            call.abandoned = True
            uncounted = {
                "input_tokens": None,
                "output_tokens": None,
                "cached_input_tokens": None,
                "reasoning_tokens": None,
            }
            call.response = replace(call.response, finish_reason=None, **uncounted)
            self.close_connection = True
