"""Check Host and Origin of every request to an HTTP listener that runs without tokens.

Such a listener trusts every process of its machine. But a web page in a browser on that machine can reach it too. A
cross-site request contains the Origin of the page. After DNS rebinding the Host is the domain of the page. gRPC needs
no such check: browsers do not use HTTP/2 without TLS.
"""

import ipaddress
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from monitor.guards.refusal import refusal

# Names by which a container reaches its host. `.internal` is reserved, so no web page has such a name.
CONTAINER_HOSTS: Final = ("host.docker.internal", "host.containers.internal")


class LocalCallersOnly:
    """Refuse requests of web pages from other origins: 403 with `host_not_local` or `origin_not_local`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found = refusal_reason(Headers(scope=scope)) if scope["type"] == "http" else None
        if found is None:
            await self._app(scope, receive, send)
            return
        code, detail = found
        await refusal(403, code, detail)(scope, receive, send)


def refusal_reason(headers: Headers) -> tuple[str, str] | None:
    """Return the error code and the message of the refusal; None when the request is allowed."""
    if not is_local_name(headers.get("host", "")):
        why = "without tokens driftd accepts only loopback host names"
        return "host_not_local", f"{why}; call it as 127.0.0.1 or configure api.tokens"
    origin = headers.get("origin")
    cross_site = headers.get("sec-fetch-site", "").strip().lower() == "cross-site"
    if cross_site or (origin is not None and not is_local_origin(origin)):
        why = "without tokens driftd refuses requests of web pages from other origins"
        return "origin_not_local", f"{why}; send them from a program, or configure api.tokens"
    return None


def is_local_name(host: str) -> bool:
    """Return whether a Host header names this machine: a loopback address or a name without a dot."""
    name = without_port(host).lower()
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return ("." not in name and ":" not in name) or name in CONTAINER_HOSTS


def is_local_origin(origin: str) -> bool:
    """Return whether an Origin header names a page of this machine. "null" is a sandboxed page or a file and is
    refused.
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and bool(parts.netloc) and is_local_name(parts.netloc)


def without_port(host: str) -> str:
    """Return the name or address in a Host header."""
    if host.startswith("["):
        return host[1:].partition("]")[0]
    return host.rpartition(":")[0] if host.count(":") == 1 else host
