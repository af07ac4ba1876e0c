"""Add the security headers to every response of a listener."""

from collections.abc import Mapping
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

EVERYWHERE: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
# Responses of the API are data, not pages: a browser that displays one loads and executes nothing.
API: Final = {
    **EVERYWHERE,
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Frame-Options": "DENY",
}
# Streamlit evaluates inline scripts and styles; charts use eval. Nothing is loaded from another host.
DASHBOARD: Final = {
    **EVERYWHERE,
    "Referrer-Policy": "same-origin",  # the login returns to the page that it comes from; other sites learn nothing
    "Content-Security-Policy": (
        "default-src 'self'; script-src 'self' 'unsafe-inline' 'unsafe-eval'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; frame-src 'self' data: blob:; "
        "object-src 'none'; base-uri 'self'; form-action 'self'; frame-ancestors 'self'"
    ),
    "X-Frame-Options": "SAMEORIGIN",  # the pages frame components of their own
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class SecurityHeaders:
    """Set `headers` unless the response has them. With `hsts_s`, responses over TLS have Strict-Transport-Security."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str] = API, *, hsts_s: int = 0) -> None:
        self._app, self._headers, self._hsts_s = app, headers, hsts_s

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        encrypted = self._hsts_s > 0 and scope["scheme"] == "https"

        async def complete(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    headers.setdefault(name, value)
                if encrypted:
                    headers.setdefault("Strict-Transport-Security", f"max-age={self._hsts_s}")
            await send(message)

        await self._app(scope, receive, complete)
