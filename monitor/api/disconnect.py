"""Interrupts the queries of a request when its client disconnects, so that they do not delay the next request."""

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monitor.store.engine.interruption import CURRENT, Interruption

READS = frozenset(["GET", "HEAD"])  # a write continues: its sender may not know whether it was stored


class InterruptOnDisconnect:
    """Middleware that watches the connection during a GET. Its worker threads inherit the interruption."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] not in READS:
            await self._app(scope, receive, send)
            return
        interruption = Interruption()
        messages: asyncio.Queue[Message] = asyncio.Queue()
        watching = asyncio.create_task(_wait_for_disconnect(receive, messages, interruption))
        before = CURRENT.set(interruption)
        try:
            await self._app(scope, messages.get, send)
        finally:
            CURRENT.reset(before)
            watching.cancel()


async def _wait_for_disconnect(
    receive: Receive, messages: "asyncio.Queue[Message]", interruption: Interruption
) -> None:
    """Forward the messages of the client. The body of a GET is empty, so one message is enough."""
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            interruption.interrupt()
        messages.put_nowait(message)
        if message["type"] == "http.disconnect":
            return
