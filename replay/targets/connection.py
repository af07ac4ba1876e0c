"""Requests to one server, many at a time; every way to fail on the way is a CallError."""

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

# Named here, or what is asked for would follow from what happens to be installed.
_HEADERS = {"accept": "application/json", "accept-encoding": "gzip, deflate", "user-agent": "driftd"}
OK = 200
REFUSAL_BYTES = 65536  # of a body that says what went wrong; what follows is not read


class Answer:
    """A response whose head is here. Names of headers are in lower case; `content` is what was read of the body."""

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
        """Read the whole body; of an answer that is no success its beginning, which says why. CallError for a body
        beyond the allowance.
        """
        read = bytearray()
        async for piece in self.pieces():
            read += piece
            if not self.is_success and len(read) >= REFUSAL_BYTES:
                break
        self.content = bytes(read)

    async def pieces(self) -> AsyncIterator[bytes]:
        """Yield the body as it comes, decompressed, at most 64 KiB at a time."""
        inflater = Inflater(self.headers.get("content-encoding", ""))
        async for data in self._response.content.iter_any():
            self._allowance.receive(len(data))
            for piece in inflater.feed(data):
                self._allowance.expand(len(piece))
                yield piece
        inflater.close()


class Connection:
    """aiohttp's pool, for httpx's own is quadratic in the connections, and its messages cost as much as all the rest.

    Proxies, redirects, the environment and `.netrc` are not followed, and no cookies kept: one reply never colours the
    next.
    """

    def __init__(self, *, connections: int, timeout_s: float, max_reply_bytes: int) -> None:
        self._connections, self._timeout_s, self._max_reply_bytes = connections, timeout_s, max_reply_bytes
        self._session: aiohttp.ClientSession | None = None
        self._hold_s = 0.0

    def take_hold(self) -> float:
        """Seconds until the server allows more, as it said since this was last asked; 0 while it allows some."""
        held, self._hold_s = self._hold_s, 0.0
        return held

    def allowance(self) -> Allowance:
        """Return what one call may read; hand it to each of its requests."""
        return Allowance(self._max_reply_bytes)

    async def send(
        self,
        method: str,
        url: URL,
        headers: Mapping[str, str],
        body: bytes | None = None,
        allowance: Allowance | None = None,
    ) -> Answer:
        """The answer with its whole body. `timeout_s` bounds it all, however slowly the bytes drip."""
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
        """The answer before its body. `timeout_s` bounds the whole block."""
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
        """Made at the first request: it belongs to a running loop."""
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=self._connections),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=aiohttp.ClientTimeout(),  # ours is around it
                auto_decompress=False,  # ours is bounded
            )
            self._session._retry_connection = False  # noqa: SLF001 - requests are counted: the runner alone retries
        return self._session

    @cached_property
    def _tls(self) -> ssl.SSLContext:
        """Of the authorities that all of driftd trusts; reading them takes a while, and http does without."""
        import httpx

        return httpx.create_ssl_context()


def _joined(response: aiohttp.ClientResponse) -> dict[str, str]:
    """A header that comes twice has both values."""
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
