"""An ASGI application behind a real server on a free loopback port, which starts and stops without waiting."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn
from starlette.types import ASGIApp


class _Server(uvicorn.Server):
    """A server that stops immediately. uvicorn checks ten times a second whether it must stop and waits 0.1 s."""

    def __init__(self, app: ASGIApp) -> None:
        # A configuration of logging would close the handlers of other libraries, and with them the stderr of pytest.
        super().__init__(uvicorn.Config(app, log_config=None, log_level="warning", lifespan="off"))
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = asyncio.Event()
        self._ready = threading.Event()

    async def main_loop(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._ready.set()
        await self._stopping.wait()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        while self.server_state.tasks:
            await asyncio.wait(list(self.server_state.tasks))

    def stop(self) -> None:
        """Stop from another thread."""
        if not self._ready.wait(timeout=30) or self._loop is None:
            raise AssertionError("the server did not start")
        self._loop.call_soon_threadsafe(self._stopping.set)


@contextmanager
def serving(app: ASGIApp) -> Iterator[str]:
    """Yield the base URL of `app`. The socket listens before the server starts, so clients need not wait."""
    with socket.socket(
        proto=socket.IPPROTO_TCP
    ) as listening:  # otherwise asyncio leaves Nagle's algorithm on: 40 ms for each request
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(("127.0.0.1", 0))
        listening.listen(64)
        server = _Server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, name="test-server")
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.stop()
            thread.join(timeout=30)
            assert not thread.is_alive(), "a request did not end"
