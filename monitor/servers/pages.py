"""Serve the dashboard in its own process: the same connections and TLS as the other listeners, with WebSockets."""

import threading
from functools import partial
from typing import Any, Final

import uvicorn

from monitor.servers.connections import BoundedHttp, ConnectionLimits, ConnectionPool
from monitor.servers.descriptors import connections_for, raise_limit
from monitor.servers.tls import tls_connection
from monitor.tls.certificates import ServedCertificate

KEY: Final = "dashboard"
RELOAD_S: Final = 5.0  # as the daemon
DRAIN_S: Final = 3
HEADER_BYTES: Final = 64 * 1024  # of one request: cookies and the state of a page in its address


def serve_pages(
    app: Any, host: str, port: int, certificate: ServedCertificate | None, *, message_bytes: int, max_connections: int
) -> None:
    """Serve the ASGI application until SIGTERM. `message_bytes` limits a message of a WebSocket."""
    limits = ConnectionLimits(connections=connections_for(raise_limit().soft, max_connections))
    http: Any = partial(BoundedHttp, pool=ConnectionPool(KEY, limits))
    if certificate is not None:
        http = partial(tls_connection, pool=ConnectionPool(KEY, limits), certificate=certificate)
        threading.Thread(target=_refresh, args=(certificate,), name="certificate", daemon=True).start()
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        loop="asyncio",
        http=http,
        ws="websockets-sansio",
        ws_max_size=message_bytes,
        limit_concurrency=2 * limits.connections,  # with the WebSockets, which leave the pool
        h11_max_incomplete_event_size=HEADER_BYTES,
        timeout_graceful_shutdown=DRAIN_S,
        proxy_headers=False,
        server_header=False,
        access_log=False,
        log_level="warning",
        use_colors=False,
    )
    uvicorn.Server(config).run()


def _refresh(certificate: ServedCertificate) -> None:
    pause = threading.Event()
    while not pause.wait(RELOAD_S):
        certificate.refresh()
