"""A real HTTP server on loopback that returns prepared responses and stores its requests."""

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from monitor.api.schema import HealthItem, Problem
from tests.asgi_server import serving


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    method: str
    path: str
    query: dict[str, str]
    authorization: str | None
    body: Any


@dataclass(slots=True)
class Daemon:
    """`answers` maps "GET /path" to a sequence of responses; the last one repeats."""

    url: str = ""
    answers: dict[str, list[tuple[int, bytes]]] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    otherwise: Callable[[str, str], bytes | None] = lambda _method, _path: None  # of routes without an answer

    def respond(self, route: str, *bodies: BaseModel | bytes, status: int = 200) -> None:
        texts = [b if isinstance(b, bytes) else b.model_dump_json().encode() for b in bodies]
        self.answers[route] = [(status, text) for text in texts]

    def refuses(self, route: str, status: int, detail: str) -> None:
        problem = Problem(type="about:blank", title="x", status=status, detail=detail, code="x")
        self.respond(route, problem, status=status)

    async def answer(self, request: Request) -> Response:
        body = await request.body()
        self.asked.append(
            Asked(
                method=request.method,
                path=request.url.path,
                query=dict(request.query_params),
                authorization=request.headers.get("authorization"),
                body=json.loads(body) if body else None,
            )
        )
        waiting = self.answers.get(f"{request.method} {request.url.path}")
        if waiting is None:
            found = self.otherwise(request.method, request.url.path)
            return Response("nothing told", 404) if found is None else Response(found, media_type="application/json")
        status, text = waiting.pop(0) if len(waiting) > 1 else waiting[0]
        return Response(text, status, media_type="application/json")

    @property
    def writes(self) -> list[Asked]:
        return [a for a in self.asked if a.method == "POST"]


@contextmanager
def running_daemon() -> Iterator[Daemon]:
    daemon = Daemon()
    daemon.respond("GET /healthz", HealthItem(status="ok"))
    app = Starlette(routes=[Route("/{path:path}", daemon.answer, methods=["GET", "POST"])])
    with serving(app) as daemon.url:
        yield daemon
