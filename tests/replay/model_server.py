"""A small OpenAI-compatible server on loopback whose answers the test decides, and which counts what it is asked."""

import asyncio
import json
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, Self

from aiohttp import web

Answer = Callable[["Asked"], Awaitable[web.StreamResponse] | web.StreamResponse]


class Asked:
    """One request as it came in; `nth` counts those for the same question and sample, from 1."""

    def __init__(self, request: web.Request, body: dict[str, Any]) -> None:
        self.request = request
        self.headers = {name.lower(): value for name, value in request.headers.items()}
        self.body = body
        self.at = asyncio.get_running_loop().time()
        self.nth = 0

    @property
    def question(self) -> str:
        return str(self.body["messages"][-1]["content"])

    @property
    def key(self) -> tuple[str, int]:
        return self.question, int(self.headers["x-driftd-sample"])


def completion(text: str | None = "yes", **changes: Any) -> web.Response:
    """A chat completion; `changes` replace fields of the document, `headers` are the response's."""
    headers = changes.pop("headers", None)
    finish_reason = changes.pop("finish_reason", "stop")
    document = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1678838400,
        "model": "gpt-4-0314",
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason},
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2, "total_tokens": 12},
    } | changes
    return web.json_response(document, headers=headers)


def error(status: int, code: str = "", message: str = "no", **headers: str) -> web.Response:
    body = json.dumps({"error": {"message": message, "code": code}})
    return web.Response(status=status, text=body, content_type="application/json", headers=headers)


class ModelServer:
    """`async with ModelServer(answer) as server:` in the loop of the test."""

    def __init__(self, answer: Answer = lambda _asked: completion()) -> None:
        self._answer = answer
        self._runner: web.AppRunner | None = None
        self.calls: Counter[tuple[str, int]] = Counter()
        self.asked: list[Asked] = []
        self.at_once = 0
        self.most_at_once = 0
        self.base_url = ""
        self.models_status = 404
        self.models: list[str] = []

    async def __aenter__(self) -> Self:
        app = web.Application()
        app.router.add_post("/v1/chat/completions", self._handle)
        app.router.add_get("/v1/models", self._models)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.base_url = f"http://127.0.0.1:{self._runner.addresses[0][1]}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _models(self, request: web.Request) -> web.Response:
        if self.models_status != 200:
            return error(self.models_status)
        return web.json_response({"object": "list", "data": [{"id": name} for name in self.models]})

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        asked = Asked(request, await request.json())
        self.calls[asked.key] += 1
        asked.nth = self.calls[asked.key]
        self.asked.append(asked)
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            answer = self._answer(asked)
            return answer if isinstance(answer, web.StreamResponse) else await answer
        finally:
            self.at_once -= 1


class Gate:
    """Holds answers back until so many calls have come in, or until it is opened; `reached` is set by the first."""

    def __init__(self, calls: int) -> None:
        self._calls = calls
        self._open = asyncio.Event()
        self.reached = asyncio.Event()
        self.waiting = 0

    def open(self) -> None:
        self._open.set()

    async def pass_through(self) -> None:
        self.waiting += 1
        self.reached.set()
        if self.waiting >= self._calls:
            self._open.set()
        await self._open.wait()
