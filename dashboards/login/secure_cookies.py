"""Send every cookie over TLS only. Streamlit leaves the flag out of the cookies of its login."""

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

SET_COOKIE = b"set-cookie"


class SecureCookies:
    """Add `Secure` to the cookies of each response, for a dashboard that browsers reach over TLS."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def changed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.raw[:] = [(name, _secure(name, value)) for name, value in headers.raw]
            await send(message)

        await self._app(scope, receive, changed)


def _secure(name: bytes, value: bytes) -> bytes:
    if name.lower() != SET_COOKIE or b"; secure" in value.lower():
        return value
    return value + b"; Secure"
