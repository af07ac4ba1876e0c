"""Requests to one server, many at a time; every way to fail on the way is a CallError."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from replay.errors import CallError
from replay.targets.failure import ErrorClass, failed, one_line
from replay.targets.rate_hints import read_hold

# Named here, or aiohttp would ask for encodings that httpx cannot undo.
_HEADERS = {"accept": "application/json", "accept-encoding": "gzip, deflate", "user-agent": "driftd"}


class Connection:
    """httpx's messages over aiohttp's pool: httpx's own pool is quadratic in the connections.

    No httpx client stands between, for it costs as much as all the rest, follows environment and `.netrc`, and keeps
    cookies; here one reply never colours the next. Proxies and redirects are not followed.
    """

    def __init__(self, *, connections: int, timeout_s: float) -> None:
        self._connections, self._timeout_s = connections, timeout_s
        self._transport: AiohttpTransport | None = None
        self._hold_s = 0.0

    def take_hold(self) -> float:
        """Seconds until the server allows more, as it said since this was last asked; 0 while it allows some."""
        held, self._hold_s = self._hold_s, 0.0
        return held

    async def send(
        self, method: str, url: httpx.URL, headers: Mapping[str, str], body: bytes | None = None
    ) -> httpx.Response:
        """The response with its whole body. `timeout_s` bounds it all, however slowly the bytes drip."""
        async with self.opened(method, url, headers, body) as response:
            await response.aread()
        return response

    @asynccontextmanager
    async def opened(
        self, method: str, url: httpx.URL, headers: Mapping[str, str], body: bytes | None = None
    ) -> AsyncIterator[httpx.Response]:
        """The response before its body: `aiter_bytes` gives it as it comes. `timeout_s` bounds the whole block."""
        request = httpx.Request(method, url, headers={**_HEADERS, **headers}, content=body)
        try:
            async with asyncio.timeout(self._timeout_s):
                response = await self._open_transport().handle_async_request(request)
                self._hold_s = max(self._hold_s, read_hold(response.headers, datetime.now(UTC)))
                try:
                    yield response
                finally:
                    await response.aclose()
        except TimeoutError:
            raise failed(ErrorClass.TIMEOUT, f"no answer within {self._timeout_s:g} s") from None
        except (httpx.HTTPError, aiohttp.ClientError) as error:
            raise _failure_of(error) from None

    async def aclose(self) -> None:
        if self._transport is not None:
            await self._transport.aclose()

    def _open_transport(self) -> AiohttpTransport:
        """Made at the first request: reading the authorities takes a while, and a session belongs to a running loop."""
        if self._transport is None:
            tls = httpx.create_ssl_context()
            connector = aiohttp.TCPConnector(limit=self._connections, ssl=tls)
            session = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())
            self._transport = AiohttpTransport(verify=tls, client=session)
        return self._transport


def _failure_of(error: httpx.HTTPError | aiohttp.ClientError) -> CallError:
    """The class never follows httpx's type: the transport calls every lost or refused connection a timeout."""
    if isinstance(error, aiohttp.ClientResponseError):
        return failed(ErrorClass.MALFORMED_REPLY, "the answer is not HTTP")
    if isinstance(error, httpx.DecodingError):
        return failed(ErrorClass.MALFORMED_REPLY, one_line(f"the answer cannot be decompressed: {error}"))
    cause = error.__cause__ or error
    return failed(ErrorClass.CONNECTION, one_line(f"{type(cause).__name__}: {cause}"))
