"""Check Host and Origin of every request to a port that other machines reach.

A web page of another site can make a browser send requests here. Its requests have the Origin of the page. After DNS
rebinding, the Host is a domain of the page. A Host that is an IP address cannot come from DNS rebinding: probes use it.
"""

import ipaddress
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from monitor.guards.local_callers import is_local_name, without_port
from monitor.guards.refusal import refusal

POLICY_VIOLATION: Final = 1008  # the close code of a WebSocket


class AllowedCallers:
    """Refuse requests to other hosts (403 `host_not_allowed`) and of pages of other sites (403 `origin_not_allowed`).

    `hosts` are names; without any, every Host is accepted. `origins` have a scheme: https://page.example.
    """

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] = (), origins: Collection[str] = ()) -> None:
        self._app = app
        self._hosts = frozenset(host.lower() for host in hosts)
        self._origins = frozenset(origin.lower().rstrip("/") for origin in origins)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = self.refusal_reason(Headers(scope=scope)) if scope["type"] in ("http", "websocket") else None
        if found is None:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":  # before the acceptance, the server answers 403
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            await refusal(403, *found)(scope, receive, send)

    def refusal_reason(self, headers: Headers) -> tuple[str, str] | None:
        """Return the error code and the message of the refusal; None when the request is allowed."""
        host = headers.get("host", "").lower()
        if self._hosts and not (without_port(host) in self._hosts or is_local_name(host) or _is_address(host)):
            return "host_not_allowed", "the Host header has a name that connections.allowed_hosts does not contain"
        origin = headers.get("origin", "").lower()
        if origin and origin not in self._origins and _host_of(origin) != host:
            why = "the request is of a web page of another site"
            return (
                "origin_not_allowed",
                f"{why}; send it from a program, or add the page to connections.allowed_origins",
            )
        return None


class LocalHostsOnly:
    """Refuse requests to a Host that does not name this machine, for a port on loopback that has no login."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] = ()) -> None:
        self._app, self._hosts = app, frozenset(host.lower() for host in hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        host = Headers(scope=scope).get("host", "").lower() if scope["type"] in ("http", "websocket") else ""
        if is_local_name(host) or without_port(host) in self._hosts:
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": POLICY_VIOLATION})
        else:
            why = "this port accepts only host names of this machine; a proxy needs connections.allowed_hosts"
            await refusal(403, "host_not_local", why)(scope, receive, send)


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(without_port(host))
    except ValueError:
        return False
    return True
