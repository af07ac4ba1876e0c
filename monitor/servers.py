"""The HTTP servers: ASGI applications on their sockets, in one thread with one event loop."""

import asyncio
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import uvicorn

from monitor.errors import ConfigError

DRAIN_S = 8  # requests in flight may take this long after a stop; their receipts wait for a commit


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """One application and where it listens; port 0 takes a free one. `key` is its place in the configuration."""

    key: str
    app: Any  # an ASGI application
    host: str
    port: int


class Servers:
    """Binds at once, so that a port in use stops the start; serves from `start` to `stop`.

    It never runs in the main thread, so uvicorn leaves the signals to the daemon.
    """

    def __init__(self, sites: Sequence[Site]) -> None:
        self._sockets = [_bind(site) for site in sites]
        self._servers = [uvicorn.Server(uvicorn.Config(site.app, **_SETTINGS)) for site in sites]
        self.addresses = {
            site.key: f"http://{site.host}:{sock.getsockname()[1]}"
            for site, sock in zip(sites, self._sockets, strict=True)
        }
        self._thread = threading.Thread(target=self._run, name="driftd-http", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Accept nothing new, finish what is in flight."""
        for server in self._servers:
            server.should_exit = True
        if self._thread.is_alive():
            self._thread.join(DRAIN_S + 2)
        for sock in self._sockets:
            sock.close()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        await asyncio.gather(
            *(server.serve(sockets=[sock]) for server, sock in zip(self._servers, self._sockets, strict=True))
        )


_SETTINGS: dict[str, Any] = {
    "http": "h11",  # what our limits were measured with; "auto" takes httptools when another package brings it
    "log_config": None,
    "access_log": False,  # a URL may name a case; what happens often is a metric
    "lifespan": "off",
    "timeout_graceful_shutdown": DRAIN_S,
}


def _bind(site: Site) -> socket.socket:
    family = socket.AF_INET6 if ":" in site.host else socket.AF_INET
    # without the protocol's number asyncio does not know it for TCP and leaves Nagle on: 40 ms a request
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((site.host, site.port))
    except OSError as error:
        sock.close()
        raise ConfigError(
            f"{site.key}: cannot listen on {site.host}:{site.port} ({error.strerror}); "
            "stop what uses it or choose another port"
        ) from error
    sock.listen(2048)
    return sock
