"""Return to the page of a link after a login: Streamlit itself returns to the first page."""

from typing import Final
from urllib.parse import quote, unquote

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboards.login.login_page import safe_next
from dashboards.login.navigation import opens_page, path_of

COOKIE: Final = "driftd_page"
AGE_S: Final = 900  # a login that takes longer starts on the first page
CALLBACK: Final = "/oauth2callback"


class ReturnToPage:
    """Remember the page that a browser opened last, and redirect to it from the callback of the login."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope, receive)

        async def changed(message: Message) -> None:
            if message["type"] == "http.response.start":
                _change(request, MutableHeaders(scope=message))
            await send(message)

        await self._app(scope, receive, changed)


def _change(request: Request, headers: MutableHeaders) -> None:
    if request.url.path == CALLBACK and headers.get("location") == "/":
        headers["location"] = safe_next(unquote(request.cookies.get(COOKIE, "")))
    elif opens_page(request):
        page = quote(safe_next(path_of(request)), safe="")
        headers.append("set-cookie", f"{COOKIE}={page}; Path=/; Max-Age={AGE_S}; HttpOnly; SameSite=Lax")
