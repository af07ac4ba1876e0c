"""What stands around every route: no exception leaves as anything but a problem document, no rebound name gets in."""

import ipaddress
import logging
import traceback

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from monitor.api.problems import problem_response

logger = logging.getLogger(__name__)


class LastResort:
    """Answers a bug with a 500 that says nothing of the inside, and logs it once.

    The log names the exception's class and the places it passed, never its message: messages of libraries quote
    values, and a value may be sealed text.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watch(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, watch)
        except Exception as error:
            places = "".join(traceback.format_tb(error.__traceback__))
            logger.error("%s in a request; this is a bug in driftd, passing\n%s", type(error).__name__, places)  # noqa: TRY400
            if started:
                raise
            detail = "driftd failed to answer; its log has the place of the error"
            await problem_response(500, "internal", detail)(scope, receive, send)


class LoopbackNamesOnly:
    """Refuses a request whose Host is a public name: it stands before an API without tokens.

    Such an API trusts whoever reaches it on loopback; a web page whose own domain was made to resolve to
    127.0.0.1 (DNS rebinding) reaches it too, but with its domain as Host.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or is_local_name(Headers(scope=scope).get("host", "")):
            await self._app(scope, receive, send)
            return
        detail = "without tokens the API answers to loopback names only; call it as 127.0.0.1 or configure api.tokens"
        await problem_response(403, "host_not_local", detail)(scope, receive, send)


def is_local_name(host: str) -> bool:
    """Whether a Host header names this machine: a loopback address, or a name without a dot."""
    name = _without_port(host)
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return "." not in name and ":" not in name


def _without_port(host: str) -> str:
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host
