"""A server on loopback that answers as the test tells it, well or badly."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Self

from aiohttp import web

from tests.replay.targets.shapes import Shape

Behaviour = Callable[[web.Request], Awaitable[web.StreamResponse]]


class FaultyServer:
    """`async with FaultyServer(behaviour) as server:` in the loop of the test; `asked` is the JSON of its requests."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self._runner: web.AppRunner | None = None
        self.address = ""
        self.asked: list[Any] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(await request.json() if request.can_read_body else None)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        self.paths.append(request.path)
        return await self._behaviour(request)


def answering(shape: Shape, text: str = "[Yes] it is.") -> Behaviour:
    async def behave(request: web.Request) -> web.StreamResponse:
        if shape.streams and shape.stream is not None:
            return await write(request, shape.stream(text))
        return web.json_response(shape.answer(text))

    return behave


def with_status(status: int, body: Any = None, **headers: str) -> Behaviour:
    async def behave(_request: web.Request) -> web.StreamResponse:
        error = {"error": {"message": "no", "code": ""}} if body is None else body
        return web.json_response(error, status=status, headers=headers)

    return behave


def with_document(document: Any) -> Behaviour:
    async def behave(_request: web.Request) -> web.StreamResponse:
        if isinstance(document, str):
            return web.Response(text=document, content_type="application/json")
        return web.json_response(document)

    return behave


async def silent(_request: web.Request) -> web.StreamResponse:
    """Never answers."""
    await asyncio.sleep(60)
    raise AssertionError("nobody waits so long")


async def reset(request: web.Request) -> web.StreamResponse:
    """Breaks the connection before the first byte."""
    assert request.transport is not None
    request.transport.abort()
    return web.Response()


async def half(request: web.Request) -> web.StreamResponse:
    """Breaks the connection in the middle of the body."""
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"choices": [')
    assert request.transport is not None
    request.transport.close()
    return response


def cut_stream(events: list[bytes], *, abort: bool) -> Behaviour:
    """Breaks the stream off, or ends it politely, before its time."""

    async def behave(request: web.Request) -> web.StreamResponse:
        response = await write(request, events, end=not abort)
        if abort:
            assert request.transport is not None
            request.transport.abort()
        return response

    return behave


async def write(
    request: web.Request, events: list[bytes], *, pause_s: float = 0.0, end: bool = True
) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "text/event-stream; charset=utf-8"})
    await response.prepare(request)
    for each in events:
        await response.write(each)
        await asyncio.sleep(pause_s)
    if end:
        await response.write_eof()
    return response
