"""The recorded endpoint over HTTP: OpenAI-compatible answers, and what is served can be switched while it runs."""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable

from aiohttp import web

from replay.errors import ReplayError
from replay.recorded.book import AnswerBook, Served, UnknownCase
from replay.recorded.wire import (
    BadRequest,
    Json,
    chunks,
    completion,
    error_body,
    headers_of,
    read_chat_request,
    read_sample,
    read_serving,
)

MAX_BODY_BYTES = 16 * 2**20

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class UnknownModel(ReplayError):
    """The request names a model that is not served here."""


class RecordedServer:
    """The routes around one AnswerBook. They run in one event loop, so that the book needs no lock."""

    def __init__(self, book: AnswerBook, *, model: str, latency_scale: float, api_key: str | None) -> None:
        self._book = book
        self._model = model
        self._latency_scale = latency_scale
        self._api_key = api_key

    def build(self) -> web.Application:
        app = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[self._guard])
        app.add_routes(
            [
                web.post("/v1/chat/completions", self.chat),
                web.get("/v1/models", self.models),
                web.post("/_snapshot", self.switch),
                web.get("/_snapshot", self.serving),
                web.get("/_calls", self.calls),
            ]
        )
        return app

    async def chat(self, request: web.Request) -> web.StreamResponse:
        asked = read_chat_request(await request.read())
        sample = read_sample(request.headers.get("x-driftd-sample"))
        if asked.model != self._model:
            raise UnknownModel(f"the model {asked.model!r} does not exist here; known: {self._model}")
        served = self._book.answer(asked.question, sample)
        if self._latency_scale and served.answer.latency_s:
            await asyncio.sleep(served.answer.latency_s * self._latency_scale)
        if asked.stream:
            return await _stream(request, served, include_usage=asked.include_usage)
        return web.json_response(completion(served), headers=headers_of(served))

    async def models(self, _request: web.Request) -> web.StreamResponse:
        model = {"id": self._model, "object": "model", "created": 0, "owned_by": "recorded"}
        return web.json_response({"object": "list", "data": [model]})

    async def switch(self, request: web.Request) -> web.StreamResponse:
        self._book.change(read_serving(await request.read(), self._book.serving))
        return await self.serving(request)

    async def serving(self, _request: web.Request) -> web.StreamResponse:
        now = self._book.serving
        return web.json_response(
            {
                "model": self._model,
                "snapshot": now.snapshot,
                "resample": now.resample,
                "seed": now.seed,
                "snapshots": list(self._book.data.snapshots),
            }
        )

    async def calls(self, _request: web.Request) -> web.StreamResponse:
        calls = self._book.calls()
        return web.json_response({"total": sum(calls.values()), "calls": calls})

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Let in who knows the key, and answer every error in OpenAI's shape."""
        if not self._admits(request.headers.get("Authorization", "")):
            body = error_body("the API key is missing or wrong; send it as a bearer token", code="invalid_api_key")
            return web.json_response(body, status=401)
        try:
            return await handler(request)
        except ReplayError as error:
            return _error(error)
        except web.HTTPException as error:
            body = error_body(
                f"{request.method} {request.path}: {error.reason}", code=error.reason.lower().replace(" ", "_")
            )
            return web.json_response(body, status=error.status)

    def _admits(self, authorization: str) -> bool:
        if self._api_key is None:
            return True
        # Bytes that are no UTF-8 arrive as lone surrogates: they go back to what they were, and differ.
        given = authorization.encode("utf-8", "surrogateescape")
        return hmac.compare_digest(given, f"Bearer {self._api_key}".encode())


def _error(error: ReplayError) -> web.Response:
    match error:
        case UnknownCase():
            status, body = 404, error_body(str(error), code="unknown_case", param="messages")
        case UnknownModel():
            status, body = 404, error_body(str(error), code="model_not_found", param="model")
        case BadRequest():
            status, body = 400, error_body(str(error), code="invalid_request", param=error.param)
        case _:
            status, body = 400, error_body(str(error), code="invalid_request")
    return web.json_response(body, status=status)


async def _stream(request: web.Request, served: Served, *, include_usage: bool) -> web.StreamResponse:
    headers = {"Content-Type": "text/event-stream", "Cache-Control": "no-cache", **headers_of(served)}
    response = web.StreamResponse(headers=headers)
    await response.prepare(request)
    for chunk in chunks(served, include_usage=include_usage):
        await response.write(_event(chunk))
    await response.write(b"data: [DONE]\n\n")
    await response.write_eof()
    return response


def _event(chunk: Json) -> bytes:
    return f"data: {json.dumps(chunk)}\n\n".encode()
