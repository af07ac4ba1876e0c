"""Run ASGI applications and gRPC services on their sockets, in one thread with one event loop."""

import asyncio
import math
import socket
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import grpc
import uvicorn

from monitor.errors import ConfigError
from monitor.servers.connections import BoundedHttp, ConnectionLimits, ConnectionPool
from monitor.servers.tls import grpc_credentials, tls_connection
from monitor.telemetry import NO_TELEMETRY, Instruments
from monitor.tls.certificates import ServedCertificate

DRAIN_S = 8  # time for requests in flight after a stop; their acknowledgements wait for a commit
BACKLOG = 2048  # connections of a listener that may wait in the kernel until they are accepted
ACCEPT_BATCH = 8  # accepted at a time: each uses a descriptor before the limit of the listener is checked
DEFAULT_LIMITS = ConnectionLimits()
MAX_STREAMS = 256  # concurrent calls of one gRPC connection; further calls wait at the sender


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpListener:
    """An ASGI application and its address. Port 0 selects a free port. `key` is the path of its section in the
    configuration. With a certificate it uses TLS.
    """

    key: str
    app: Any  # an ASGI application
    host: str
    port: int
    certificate: ServedCertificate | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GrpcListener:
    """gRPC services and their address. A message larger than `max_message_bytes` on the wire is refused before it is
    read.
    """

    key: str
    services: grpc.GenericRpcHandler
    host: str
    port: int
    max_message_bytes: int
    certificate: ServedCertificate | None = None


class Servers:
    """All listeners. The constructor binds the sockets, so that a port in use prevents the start. They serve from
    `start` to `stop`.

    They never run in the main thread, so uvicorn installs no signal handlers.
    """

    def __init__(
        self,
        listeners: Sequence[HttpListener],
        grpc_listeners: Sequence[GrpcListener] = (),
        *,
        limits: ConnectionLimits = DEFAULT_LIMITS,
        telemetry: Instruments = NO_TELEMETRY,
    ) -> None:
        self.addresses: dict[str, str] = {}
        self._loop = asyncio.new_event_loop()  # a gRPC server needs its loop before it is started
        self._stop_requested = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name="driftd-http", daemon=True)
        self._limits = limits
        pools = [ConnectionPool(listener.key, limits, telemetry) for listener in listeners]
        telemetry.observe("driftd.connections.open", lambda: [pool.value() for pool in pools])
        self._servers = [_http_server(listener, pool) for listener, pool in zip(listeners, pools, strict=True)]
        self._sockets: list[socket.socket] = []
        self._grpc_servers: list[grpc.aio.Server] = []
        try:
            for listener in listeners:
                self._sockets.append(bound := _bind(listener))
                self.addresses[listener.key] = _address(listener, bound.getsockname()[1])
            for grpc_listener in grpc_listeners:
                self._bind_grpc(grpc_listener)
        except ConfigError:
            self.stop()
            raise

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Accept no new connections and finish the requests in flight."""
        for server in self._servers:
            server.should_exit = True
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop_requested.set)
            self._thread.join(DRAIN_S + 2)
        elif not self._loop.is_closed():  # never started: no request is in flight
            self._loop.run_until_complete(self._stop_grpc(0))
            self._loop.close()
        for sock in self._sockets:
            sock.close()

    def _bind_grpc(self, listener: GrpcListener) -> None:
        _bind(listener).close()  # reports why the port cannot be bound; gRPC reports only that it failed
        server, port = self._loop.run_until_complete(_grpc_server(listener, self._limits))
        self._grpc_servers.append(server)
        self.addresses[listener.key] = _address(listener, port)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())

    async def _serve(self) -> None:
        await asyncio.gather(
            self._serve_grpc(),
            *(server.serve(sockets=[sock]) for server, sock in zip(self._servers, self._sockets, strict=True)),
        )

    async def _serve_grpc(self) -> None:
        for server in self._grpc_servers:
            await server.start()
        await self._stop_requested.wait()
        await self._stop_grpc(DRAIN_S)

    async def _stop_grpc(self, grace_s: float) -> None:
        await asyncio.gather(*(server.stop(grace_s) for server in self._grpc_servers))


class _HttpServer(uvicorn.Server):
    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        for sock in sockets or ():
            sock.listen(BACKLOG)  # asyncio has set it to the number of connections that it accepts at a time


def _http_server(listener: HttpListener, pool: ConnectionPool) -> uvicorn.Server:
    http: Any = partial(BoundedHttp, pool=pool)
    if listener.certificate is not None:
        http = partial(tls_connection, pool=pool, certificate=listener.certificate)
    settings: dict[str, Any] = {
        "ws": "none",
        "log_config": None,
        "access_log": False,  # a URL may contain the id of a case; metrics count frequent events
        "proxy_headers": False,  # any local process could claim another address
        "lifespan": "off",
        "backlog": ACCEPT_BATCH,
        "timeout_keep_alive": math.ceil(pool.limits.idle_s),
        "timeout_graceful_shutdown": DRAIN_S,
    }
    return _HttpServer(uvicorn.Config(listener.app, http=http, **settings))


async def _grpc_server(listener: GrpcListener, limits: ConnectionLimits) -> tuple[grpc.aio.Server, int]:
    server = grpc.aio.server(
        options=[
            ("grpc.so_reuseport", 0),  # a second daemon must not receive half of the calls
            ("grpc.max_receive_message_length", listener.max_message_bytes),
            ("grpc.per_message_decompression", 0),  # the services decompress, within their own limits
            ("grpc.max_concurrent_streams", MAX_STREAMS),
            ("grpc.max_allowed_incoming_connections", limits.connections),
            ("grpc.server_handshake_timeout_ms", round(limits.header_s * 1000)),
            ("grpc.max_connection_idle_ms", round(limits.idle_s * 1000)),
            # Detect a peer that disappeared without closing the connection, and end its calls.
            ("grpc.keepalive_time_ms", round(limits.body_s * 1000)),
            ("grpc.keepalive_timeout_ms", round(limits.header_s * 1000)),
        ]
    )
    server.add_generic_rpc_handlers((listener.services,))
    try:
        authority = _authority(listener.host, listener.port)
        if listener.certificate is None:
            return server, server.add_insecure_port(authority)
        return server, server.add_secure_port(authority, grpc_credentials(listener.certificate))
    except RuntimeError as error:
        raise _cannot_listen(listener, "address in use") from error


def _bind(listener: HttpListener | GrpcListener) -> socket.socket:
    family = socket.AF_INET6 if ":" in listener.host else socket.AF_INET
    # asyncio recognizes TCP by the protocol number. Without it Nagle's algorithm stays on: 40 ms for each request.
    sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        sock.bind((listener.host, listener.port))
    except OSError as error:
        sock.close()
        raise _cannot_listen(listener, str(error.strerror)) from error
    sock.listen(BACKLOG)
    return sock


def _cannot_listen(listener: HttpListener | GrpcListener, why: str) -> ConfigError:
    return ConfigError(
        f"{listener.key}: cannot listen on {listener.host}:{listener.port} ({why}); "
        "stop the process that uses the port, or choose another port"
    )


def _address(listener: HttpListener | GrpcListener, port: int) -> str:
    return f"{'http' if listener.certificate is None else 'https'}://{_authority(listener.host, port)}"


def _authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
