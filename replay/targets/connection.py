"""Concurrent requests to one server. Every failure is a CallError."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import cached_property

import aiohttp
from yarl import URL

from replay.errors import CallError
from replay.targets.failure import ErrorClass, failed, one_line
from replay.targets.masking import mask_text
from replay.targets.rate_hints import read_hold
from replay.targets.reply_limits import Allowance, Inflater

# Fixed here: the default depends on the installed packages.
_HEADERS = {"accept": "application/json", "accept-encoding": "gzip, deflate", "user-agent": "driftd"}
OK = 200
REFUSAL_BYTES = 65536  # of an error body; the rest is not read


class Answer:
    """A response after its headers. Names of headers are in lower case; `content` is the part of the body that was
    read.
    """

    __slots__ = ("_allowance", "_response", "content", "headers", "status")

    def __init__(self, response: aiohttp.ClientResponse, allowance: Allowance) -> None:
        self._response, self._allowance = response, allowance
        self.status = response.status
        self.headers = _joined(response)
        self.content = b""

    @property
    def is_success(self) -> bool:
        return OK <= self.status < 300

    async def read(self) -> None:
        """Read the whole body, or the beginning of the body of an error response. Raise CallError for a body beyond the
        allowance.
        """
        read = bytearray()
        async for piece in self.pieces():
            read += piece
            if not self.is_success and len(read) >= REFUSAL_BYTES:
                break
        self.content = bytes(read)

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body as it arrives, decompressed, at most 64 KiB at a time."""
        inflater = Inflater(self.headers.get("content-encoding", ""))
        async for data in self._response.content.iter_any():
            self._allowance.receive(len(data))
            for piece in inflater.feed(data):
                self._allowance.expand(len(piece))
                yield piece
        inflater.close()


class Connection:
    """A pool of aiohttp connections. The pool of httpx is quadratic in the connections, and its messages cost as much
    CPU as everything else.

    It ignores proxies, redirects, the environment and `.netrc`, and stores no cookies: a reply never affects the next.
    """

    def __init__(self, *, connections: int, timeout_s: float, max_reply_bytes: int) -> None:
        self._connections, self._timeout_s, self._max_reply_bytes = connections, timeout_s, max_reply_bytes
        self._session: aiohttp.ClientSession | None = None
        self._hold_s = 0.0

    def take_hold(self) -> float:
        """Return the seconds until the server allows more, by reports since the last call; 0 if it allows some."""
        held, self._hold_s = self._hold_s, 0.0
        return held

    def allowance(self) -> Allowance:
        """Return the limit of one call. Pass it to each of its requests."""
        return Allowance(self._max_reply_bytes)

    async def send(
        self,
        method: str,
        url: URL,
        headers: Mapping[str, str],
        body: bytes | None = None,
        allowance: Allowance | None = None,
    ) -> Answer:
        """Return the response with its whole body. `timeout_s` limits the total time."""
        async with self.opened(method, url, headers, body, allowance) as answer:
            await answer.read()
        return answer

    @asynccontextmanager
    async def opened(
        self,
        method: str,
        url: URL,
        headers: Mapping[str, str],
        body: bytes | None = None,
        allowance: Allowance | None = None,
    ) -> AsyncIterator[Answer]:
        """Yield the response before its body. `timeout_s` limits the whole block."""
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                self._opened_session().request(
                    method,
                    url,
                    headers={**_HEADERS, **headers},
                    data=body,
                    allow_redirects=False,
                    ssl=self._tls if url.scheme == "https" else True,
                ) as response,
            ):
                answer = Answer(response, allowance or self.allowance())
                self._hold_s = max(self._hold_s, read_hold(answer.headers, datetime.now(UTC)))
                yield answer
        except TimeoutError:
            raise failed(ErrorClass.TIMEOUT, f"no answer within {self._timeout_s:g} s") from None
        except aiohttp.ClientError as error:
            raise _failure_of(error) from None

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()

    def _opened_session(self) -> aiohttp.ClientSession:
        """Return the session. It is created at the first request, because it belongs to a running loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(),  # the limit is around the call
                auto_decompress=False,  # the caller limits it
            )
            self._session._retry_connection = False  # noqa: SLF001 - requests are counted: the runner alone retries
        return self._session

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Return the TLS context with the CA certificates of driftd. Loading them is slow, and http needs none."""
        import httpx

        return httpx.create_ssl_context()


def _joined(response: aiohttp.ClientResponse) -> dict[str, str]:
    """Return the headers by name. A repeated header has all its values."""
    headers: dict[str, str] = {}
    for name, value in response.headers.items():
        key = name.lower()
        headers[key] = f"{headers[key]}, {value}" if key in headers else value
    return headers


def _failure_of(error: aiohttp.ClientError) -> CallError:
    if isinstance(error, aiohttp.ClientResponseError):
        return failed(ErrorClass.MALFORMED_REPLY, "the answer is not HTTP")
    connected = not isinstance(error, aiohttp.ClientConnectorError)
    return failed(ErrorClass.CONNECTION, one_line(mask_text(f"{type(error).__name__}: {error}")), sent=connected)
