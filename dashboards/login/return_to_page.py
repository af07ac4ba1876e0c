"""Return to the page of a link after a login: Streamlit itself returns to the first page."""

from typing import Final
from urllib.parse import quote, unquote, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dashboards.login.login_page import safe_next
from dashboards.login.navigation import opens_page, path_of

COOKIE: Final = "driftd_page"
AGE_S: Final = 900  # a login that takes longer starts on the first page
CALLBACK: Final = "/oauth2callback"
LOGIN: Final = "/auth/login"


class ReturnToPage:
    """Remember the page where a login starts, and redirect to it from the callback of the login.

    It is the page that the browser opened last, or the one that it shows when the reader logs in again: Streamlit
    changes pages without a request, so only the referrer of the login has their address.
    """

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
    elif request.url.path == LOGIN:
        _remember(_referrer_of(request), headers)
    elif opens_page(request):
        _remember(path_of(request), headers)


def _remember(page: str | None, headers: MutableHeaders) -> None:
    if page is not None:
        value = quote(safe_next(page), safe="")
        headers.append("set-cookie", f"{COOKIE}={value}; Path=/; Max-Age={AGE_S}; HttpOnly; SameSite=Lax")


def _referrer_of(request: Request) -> str | None:
    """Return path and query of the page of this dashboard that the request comes from."""
    try:
        page = urlsplit(request.headers.get("referer", ""))
    except ValueError:
        return None
    if not page.netloc or page.netloc != request.headers.get("host"):
        return None
    return (page.path or "/") + (f"?{page.query}" if page.query else "")
