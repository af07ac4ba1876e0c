"""Ask readers for an API token, and keep it in a session of this process.

The token is in the body of one request and in memory. It is never in an address, a cookie, a log or a cache. The daemon
checks it, counts failed attempts, and slows them down.
"""

import asyncio
from collections.abc import Callable
from time import monotonic
from typing import Final
from urllib.parse import parse_qs, quote

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from dashboards.client import Client, DaemonError
from dashboards.login.login_page import login_page, safe_next
from dashboards.login.navigation import opens_page, path_of
from dashboards.login.open_daemon import UNAUTHORIZED, requires_token
from dashboards.login.sessions import COOKIE, OPEN, Sessions

PATH: Final = "/login"
LONGEST_BODY: Final = 16_384
# With no-referrer, browsers would send the form with `Origin: null`.
FORM_HEADERS: Final = {"Cache-Control": "no-store", "Referrer-Policy": "same-origin"}
KNOWN_S: Final = 5.0  # how long the dashboard remembers whether the daemon requires tokens


class TokenGate:
    """Whether a reader without a session may see the pages. Only on loopback, and only of a daemon without tokens."""

    def __init__(self, url: str, *, is_loopback: bool, now_s: Callable[[], float] = monotonic) -> None:
        self._url, self._is_loopback, self._now_s = url, is_loopback, now_s
        self._known: tuple[float, bool] | None = None

    def is_open(self) -> bool:
        if not self._is_loopback:
            return False
        if self._known is None or self._now_s() - self._known[0] > KNOWN_S:
            self._known = (self._now_s(), not requires_token(self._url))
        return self._known[1]


class TokenLogin:
    """Send readers without a session to `/login`. WebSockets pass: the page itself has no data without a session."""

    def __init__(self, app: ASGIApp, url: str, gate: TokenGate, *, sessions: Sessions = OPEN) -> None:
        self._app, self._url, self._gate, self._sessions = app, url, gate, sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)
        response = await self._answer(request)
        await (response or self._app)(scope, receive, send)

    async def _answer(self, request: Request) -> Response | None:
        """Return the response of the login, None when the request may pass."""
        if request.url.path == PATH:
            return await self._log_in(request)
        is_page = opens_page(request)
        if not is_page and not request.url.path.startswith("/media/"):
            return None  # files of Streamlit itself, without data
        if self._sessions.token_of(request.cookies.get(COOKIE)) is not None:
            return None
        if await asyncio.to_thread(self._gate.is_open):
            return None
        if not is_page:
            return PlainTextResponse("log in first", UNAUTHORIZED)
        return RedirectResponse(f"{PATH}?next={quote(path_of(request), safe='')}", 303, {"Cache-Control": "no-store"})

    async def _log_in(self, request: Request) -> Response:
        if request.method == "GET":
            return _form(safe_next(request.query_params.get("next")))
        if request.method != "POST":
            return PlainTextResponse("use GET or POST", 405, {"Allow": "GET, POST"})
        given = await _fields(request)
        if given is None:
            return _form("/", "the form is larger than a token", 413)
        next_, token = safe_next(given.get("next")), given.get("token", "").strip()
        try:
            await asyncio.to_thread(self._demand_reader, token)
        except DaemonError as error:
            return _form(next_, str(error), error.status or 503)
        return self._started(token, next_)

    def _demand_reader(self, token: str) -> None:
        """Raise DaemonError unless the daemon knows the token and it has the role `read`."""
        with Client(self._url, token=token) as client:
            client.sender()

    def _started(self, token: str, next_: str) -> Response:
        response = RedirectResponse(next_, 303, {"Cache-Control": "no-store"})
        # Lax: a link to an alert in a chat opens the page with the session, and requests of other sites do not have it.
        response.set_cookie(COOKIE, self._sessions.start(token), httponly=True, samesite="lax", path="/")
        return response


def _form(next_: str, problem: str | None = None, status: int = 200) -> Response:
    return HTMLResponse(login_page(next_, problem), status, FORM_HEADERS)


async def _fields(request: Request) -> dict[str, str] | None:
    """Return the fields of a form, None if it is too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > LONGEST_BODY:
            return None
    return {name: values[0] for name, values in parse_qs(body.decode("latin-1")).items()}
