"""The recorded endpoint as an object: served by a thread of this process, or by the running event loop."""

import asyncio
import math
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from aiohttp import web

from replay.errors import ReplayError
from replay.recorded.book import AnswerBook, Serving
from replay.recorded.data import RecordedData
from replay.recorded.server import RecordedServer


class RecordedEndpoint:
    """Serves recorded answers from a thread of its own between `start` and `stop`.

    By default it listens on a free port of the loopback and serves the first snapshot by name under the family's
    name. `latency_scale` times the recorded latency is waited before each answer. With an `api_key` every request has
    to bring it as a bearer token.
    """

    def __init__(
        self,
        data: RecordedData,
        *,
        snapshot: str | None = None,
        resample: float = 0.0,
        seed: int = 0,
        model: str | None = None,
        latency_scale: float = 0.0,
        api_key: str | None = None,
        host: str = "127.0.0.1",
        port: int = 0,
    ) -> None:
        if not (math.isfinite(latency_scale) and latency_scale >= 0):
            raise ReplayError(f"latency-scale must be a number of at least 0, it is {latency_scale}")
        if not 0 <= port <= 65535:
            raise ReplayError(f"port must be between 0 (any free one) and 65535, it is {port}")
        self.model = model or data.family
        self._host = host
        self._port = port
        serving = Serving(snapshot=snapshot or data.snapshots[0], resample=resample, seed=seed)
        self._server = RecordedServer(
            AnswerBook(data, serving), model=self.model, latency_scale=latency_scale, api_key=api_key
        )
        self._thread: _ServerThread | None = None

    @property
    def address(self) -> str:
        """The root URL of /_snapshot and /_calls, for example `http://127.0.0.1:8080`. Available only while the
        endpoint runs.
        """
        if self._thread is None:
            raise ReplayError("the recorded endpoint is not running; start it first")
        return self._thread.address

    def start(self) -> str:
        """Start to listen and return the base URL for a target, which ends in /v1. Raise ReplayError if the port is not
        available.
        """
        if self._thread is not None:
            raise ReplayError("the recorded endpoint is running already")
        self._thread = _ServerThread(self)
        try:
            return f"{self._thread.start()}/v1"
        except BaseException:
            self._thread = None
            raise

    def stop(self) -> None:
        """Finish the open requests, then stop. Do nothing if the endpoint is not running."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.stop()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator[str]:
        """Serve from the running event loop and yield the address."""
        runner = web.AppRunner(self._server.build(), access_log=None, shutdown_timeout=5.0)
        await runner.setup()
        try:
            await self._listen(runner)
            host, port = runner.addresses[0][:2]
            yield f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        finally:
            await runner.cleanup()

    async def _listen(self, runner: web.AppRunner) -> None:
        try:
            await web.TCPSite(runner, self._host, self._port).start()
        except OSError as error:
            reason = error.strerror or str(error)
            raise ReplayError(f"cannot listen on {self._host}:{self._port}: {reason}; choose another port") from error


class _ServerThread:
    """A thread with an event loop that serves the endpoint until it is stopped."""

    def __init__(self, endpoint: RecordedEndpoint) -> None:
        self.address = ""
        self._endpoint = endpoint
        self._settled = threading.Event()  # set after it listens or failed to
        self._failure: BaseException | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="recorded-endpoint", daemon=True)

    def start(self) -> str:
        self._thread.start()
        self._settled.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        return self.address

    def stop(self) -> None:
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as error:
            if self._settled.is_set():
                raise
            self._failure = error  # start() raises it in the thread of the caller
        finally:
            self._settled.set()

    async def _serve(self) -> None:
        async with self._endpoint.listening() as self.address:
            self._loop = asyncio.get_running_loop()
            self._settled.set()
            await self._stop.wait()
