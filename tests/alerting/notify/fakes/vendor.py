"""A strict HTTP server in place of a service: it rejects what the rules of the service do not allow."""

import json
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.alerting.notify.fakes import rules

ACCEPTED = {"slack": (200, "ok"), "teams": (202, ""), "discord": (204, "")}
REJECTED = {"slack": "invalid_payload", "teams": "Bad request", "discord": '{"code": 50006}'}


@dataclass(frozen=True, kw_only=True)
class Rules:
    """The rules of a service. `check` gets the path and the body of a request, and raises for an invalid one.

    `accepted` is the status and the text of a regular response, `rejected` the text of a 400. A request without the
    header `authorization`, if that is set, gets a 401.
    """

    check: Callable[[str, Any], None]
    accepted: tuple[int, str]
    rejected: str
    authorization: str | None = None
    respond: Callable[[str, Any], str] | None = None  # the text of a regular response, from path and body
    rejected_status: int = 400
    unauthorized: tuple[int, str] | None = None  # instead of 401 and `rejected`


def _chat(kind: str) -> Rules:
    def check(_path: str, body: Any) -> None:
        rules.RULES[kind](body)

    return Rules(check=check, accepted=ACCEPTED[kind], rejected=REJECTED[kind])


@dataclass(frozen=True, kw_only=True)
class _Extras:
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    reset: bool = False
    silent: bool = False


@dataclass(frozen=True)
class Answer(_Extras):
    """One response instead of the regular one. `reset` closes the connection; `silent` waits until the server stops."""

    status: int = 503


@dataclass(kw_only=True)
class Vendor:
    """`answers` are used in order, the last one for all later requests. Without answers it accepts messages."""

    url: str = ""
    port: int = 0
    answers: list[Answer] = field(default_factory=list)
    accepted: list[Any] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)  # of the accepted requests
    stopped: threading.Event = field(default_factory=threading.Event)


def _problem(service: Rules, path: str, content_type: str, body: Any) -> str | None:
    if content_type != "application/json":
        return f"the content type is {content_type}"
    try:
        service.check(path, body)
    except (AssertionError, KeyError) as error:
        return repr(error)
    return None


def _handler(service: Rules, fake: Vendor) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            if not fake.answers:
                self._accept(body)
                return
            answer = fake.answers.pop(0) if len(fake.answers) > 1 else fake.answers[0]
            if answer.silent:
                fake.stopped.wait(30)
            elif answer.reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.connection.close()
                self.close_connection = True
            else:
                self._respond(answer.status, answer.text, answer.headers)

        def _accept(self, body: Any) -> None:
            allowed = service.authorization in {None, self.headers["Authorization"]}
            problem = _problem(service, self.path, self.headers["Content-Type"], body)
            if problem is not None or not allowed:
                fake.rejected.append(problem or "the authorization is wrong")
                denied = service.unauthorized or (401, service.rejected)
                self._respond(*((service.rejected_status, service.rejected) if allowed else denied), {})
                return
            fake.accepted.append(body)
            fake.paths.append(self.path)
            status, text = service.accepted
            text = service.respond(self.path, body) if service.respond else text
            self._respond(status, text, {})

        def _respond(self, status: int, text: str, headers: Mapping[str, str]) -> None:
            self.send_response_only(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  the base class's name
            """Write no log."""

    return Handler


@contextmanager
def vendor(kind: str, service: Rules | None = None, *, tls: ssl.SSLContext | None = None) -> Iterator[Vendor]:
    """Serve a service on a free port. `service` has the rules of one that is not a chat service."""
    fake = Vendor()
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(service or _chat(kind), fake))
    fake.port = server.server_address[1]
    if tls is not None:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    fake.url = f"http://127.0.0.1:{fake.port}/services/T00/s3cret"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, name=kind)
    thread.start()
    try:
        yield fake
    finally:
        fake.stopped.set()
        server.shutdown()
        server.server_close()
        thread.join()
