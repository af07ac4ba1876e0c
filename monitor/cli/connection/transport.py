"""One request and its response, over HTTP or in this process."""

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from monitor.errors import DriftdError
from monitor.tls.trust import SYSTEM, Trust

if TYPE_CHECKING:
    import httpx
    from starlette.types import ASGIApp, Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """The response from `url`."""

    url: str
    status: int
    content: bytes

    @property
    def is_error(self) -> bool:
        return self.status >= HTTPStatus.BAD_REQUEST


class NoAnswerError(DriftdError):
    """The request got no response; the message has the reason."""


class DaemonUnreachableError(NoAnswerError):
    """The connection was refused."""


class UntrustedError(NoAnswerError):
    """The certificate of the server is not trusted, or the server uses no TLS."""


class DaemonTimeoutError(NoAnswerError):
    """The connection is open, but there is no response."""


class Transport(Protocol):
    """Sends requests to one server."""

    def send(
        self, method: str, path: str, *, params: Mapping[str, object], body: object = None, timeout_s: float
    ) -> Response:
        """Send a request; `body` is sent as JSON unless it is None. Raises NoAnswerError."""
        ...

    def send_file(
        self, path: str, *, params: Mapping[str, object], file: Path, media_type: str, timeout_s: float
    ) -> Response:
        """Send a POST request with the content of a file. Raises NoAnswerError."""
        ...

    def close(self) -> None: ...


def needs_authorities(where: str) -> bool:
    """Return whether the certificate of a server must be checked. To load the authorities of the system takes 25 ms.

    >>> needs_authorities("http://127.0.0.1:8400"), needs_authorities("HTTPS://driftd.example")
    (False, True)
    """
    return urlsplit(where).scheme != "http"


class HttpTransport:
    """Sends requests to the server at `where`."""

    def __init__(self, where: str, headers: Mapping[str, str], trust: Trust = SYSTEM) -> None:
        import httpx  # not needed without a daemon

        self._httpx = httpx
        verify = trust.context() or needs_authorities(where)
        self._client = httpx.Client(base_url=where, headers=dict(headers), verify=verify)

    def send(
        self, method: str, path: str, *, params: Mapping[str, object], body: object = None, timeout_s: float
    ) -> Response:
        query = urlencode(_pairs(params))
        return self._answer(lambda: self._client.request(method, path, params=query, json=body, timeout=timeout_s))

    def send_file(
        self, path: str, *, params: Mapping[str, object], file: Path, media_type: str, timeout_s: float
    ) -> Response:
        query, headers = urlencode(_pairs(params)), {"Content-Type": media_type}
        with file.open("rb") as content:
            return self._answer(
                lambda: self._client.post(path, params=query, content=content, headers=headers, timeout=timeout_s)
            )

    def _answer(self, ask: "Callable[[], httpx.Response]") -> Response:
        httpx = self._httpx
        try:
            response = ask()
        except httpx.ConnectError as error:
            raise (UntrustedError if _is_about_tls(error) else DaemonUnreachableError)(_cause(error)) from None
        except httpx.TimeoutException as error:
            raise DaemonTimeoutError(_cause(error)) from None
        except httpx.TransportError as error:
            raise NoAnswerError(_cause(error)) from None
        return Response(url=str(response.request.url), status=response.status_code, content=response.content)

    def close(self) -> None:
        self._client.close()


class InProcessTransport:
    """Calls an ASGI application without a socket. `where` is the address in the requests."""

    def __init__(self, app: "ASGIApp", where: str, headers: Mapping[str, str]) -> None:
        self._app, self._where = app, where
        self._headers = [(b"host", urlsplit(where).netloc.encode())]
        self._headers += [(name.lower().encode(), value.encode()) for name, value in headers.items()]
        self._runner = asyncio.Runner()

    def send(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, object],
        body: object = None,
        timeout_s: float,  # noqa: ARG002  what runs here is waited for
    ) -> Response:
        requests = urlsplit(path)
        query = urlencode([*parse_qsl(requests.query), *_pairs(params)])
        content = b"" if body is None else json.dumps(body, separators=(",", ":")).encode()
        scope = self._scope(method, requests.path, query.encode(), content)
        status, answer = self._runner.run(self._exchange(scope, content))
        return Response(url=f"{self._where}{path}", status=status, content=answer)

    def close(self) -> None:
        self._runner.close()

    def send_file(
        self,
        path: str,
        *,
        params: Mapping[str, object],
        file: Path,
        media_type: str,
        timeout_s: float,  # noqa: ARG002
    ) -> Response:
        content = file.read_bytes()
        scope = self._scope("POST", path, urlencode(_pairs(params)).encode(), content, media_type)
        status, answer = self._runner.run(self._exchange(scope, content))
        return Response(url=f"{self._where}{path}", status=status, content=answer)

    async def _exchange(self, scope: dict[str, Any], content: bytes) -> tuple[int, bytes]:
        requests, over = asyncio.Queue["Message"](), asyncio.Event()
        status, pieces = HTTPStatus.INTERNAL_SERVER_ERROR.value, list[bytes]()
        requests.put_nowait({"type": "http.request", "body": content, "more_body": False})

        async def receive() -> "Message":
            if requests.empty():
                await over.wait()
                return {"type": "http.disconnect"}
            return requests.get_nowait()

        async def send(message: "Message") -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            else:
                pieces.append(message.get("body", b""))
                if not message.get("more_body", False):
                    over.set()

        await self._app(scope, receive, send)
        return status, b"".join(pieces)

    def _scope(
        self, method: str, path: str, query: bytes, content: bytes, media_type: str = "application/json"
    ) -> dict[str, Any]:
        sent = [(b"content-type", media_type.encode()), (b"content-length", str(len(content)).encode())]
        where = urlsplit(self._where)
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": where.scheme,
            "path": unquote(path),
            "raw_path": quote(path, safe="/%").encode(),
            "query_string": query,
            "root_path": "",
            "headers": [*self._headers, *(sent if content else [])],
            "client": ("127.0.0.1", 0),
            "server": (where.hostname, where.port),
        }


def _pairs(params: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the query of a URL as pairs; a list repeats its name for each value.

    >>> _pairs({"sealed": True, "id": ["a", "b"]})
    [('sealed', 'true'), ('id', 'a'), ('id', 'b')]
    """
    lists = {name: value if isinstance(value, list | tuple) else [value] for name, value in params.items()}
    return [(name, _as_text(value)) for name, values in lists.items() for value in values]


def _as_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _is_about_tls(error: BaseException | None) -> bool:
    while error is not None and not isinstance(error, ssl.SSLError):
        error = error.__cause__ or error.__context__
    return error is not None


def _cause(error: Exception) -> str:
    return str(error) or type(error).__name__
