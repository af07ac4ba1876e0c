"""Interrupts the queries of a request whose client has left: the next page would queue behind them."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monitor.store.engine.interruption import CURRENT, Interruption

READS = frozenset(["GET", "HEAD"])  # a write goes on: its sender may have left without knowing whether it was stored


class InterruptOnDisconnect:
    """Watches the connection while a GET is answered. Threads that answer it inherit the request's interruption."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in READS:
            await self._app(scope, receive, send)
            return
        interruption = Interruption()
        messages: asyncio.Queue[Message] = asyncio.Queue()
        watching = asyncio.create_task(_watch(receive, messages, interruption))
        before = CURRENT.set(interruption)
        try:
            await self._app(scope, messages.get, send)
        finally:
            CURRENT.reset(before)
            watching.cancel()


async def _watch(receive: Receive, messages: "asyncio.Queue[Message]", interruption: Interruption) -> None:
    """Pass on what the client sends. A GET has no body that could fill the queue: one message ends it."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            interruption.interrupt()
        messages.put_nowait(message)
        if message["type"] == "http.disconnect":
            return
