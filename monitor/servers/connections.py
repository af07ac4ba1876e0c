"""The connections of one HTTP listener: their number, and how long each may be idle.

A connection uses a file descriptor from the moment it is accepted, before driftd reads a token. So each listener has a
limit below that of the process, and an idle connection never blocks an active one.
"""

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol

from monitor.telemetry import NO_TELEMETRY, GaugeValue, Recorder

log = logging.getLogger(__name__)
SWEEP_S: Final = 1.0
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n"
    b"content-type: text/plain\r\ncontent-length: 25\r\n\r\ntoo many open connections"
)
REASONS: Final = ("replaced", "refused", "slow_headers", "idle", "stalled", "handshake", "plain_http")


@dataclass(frozen=True, slots=True, kw_only=True)
class ConnectionLimits:
    """The limits of one listener. The times are in seconds."""

    connections: int = 1_024
    header_s: float = 10.0  # from the connection, or the first byte of a later request, to the end of its headers
    idle_s: float = 75.0  # between two requests
    body_s: float = 30.0  # within a request: without a byte of the body, or without the client reading the response


class ConnectionPool:
    """The open connections of one listener. Only its event loop may use it."""

    def __init__(self, key: str, limits: ConnectionLimits, telemetry: Recorder = NO_TELEMETRY) -> None:
        self.limits = limits
        self._key, self._telemetry = key, telemetry
        self._open: set[BoundedHttp] = set()
        self._sweeping: asyncio.TimerHandle | None = None
        for reason in REASONS:  # a rate needs the zero before the first count
            telemetry.count("driftd.connections.closed", 0, {"listener": key, "reason": reason})

    def value(self) -> GaugeValue:
        """Return the number of open connections, for the gauge."""
        return GaugeValue(value=len(self._open), labels={"listener": self._key})

    def admit(self, connection: "BoundedHttp") -> bool:
        """Add a new connection. When the listener is full, close a waiting connection to make room.

        The first candidate is a connection that never sent a request, then the one that was idle longest. Return False
        when every connection has a request in progress.
        """
        if len(self._open) >= self.limits.connections:
            waiting = [each for each in self._open if each.waiting]
            if not waiting:
                self._count("refused")
                return False
            self._close(min(waiting, key=lambda each: (each.served, each.since)), "replaced")
        self._open.add(connection)
        if self._sweeping is None:
            self._sweeping = connection.loop.call_later(SWEEP_S, self._sweep, connection.loop)
        return True

    def leave(self, connection: "BoundedHttp") -> None:
        self._open.discard(connection)

    def refuse(self, connection: "BoundedHttp", reason: str) -> None:
        """Remove a connection that sent no request, and count it. It is counted once."""
        if connection in self._open:
            self._open.discard(connection)
            self._count(reason)

    def _sweep(self, loop: asyncio.AbstractEventLoop) -> None:
        now = loop.time()
        for connection in list(self._open):
            if (reason := connection.overdue(now)) is not None:
                self._close(connection, reason)
        self._sweeping = loop.call_later(SWEEP_S, self._sweep, loop) if self._open else None

    def _close(self, connection: "BoundedHttp", reason: str) -> None:
        self._open.discard(connection)
        connection.transport.abort()
        self._count(reason)

    def _count(self, reason: str) -> None:
        self._telemetry.count("driftd.connections.closed", 1, {"listener": self._key, "reason": reason})
        if reason in ("refused", "replaced"):
            log.warning(
                "%s: all %d connections are in use (%s); raise connections.max_per_listener, or find their clients",
                self._key,
                self.limits.connections,
                "a new one was refused" if reason == "refused" else "the one that was idle longest was closed",
            )


class BoundedHttp(H11Protocol):
    """An HTTP connection that records the times which decide when it is closed."""

    def __init__(self, *, pool: ConnectionPool, **uvicorn: Any) -> None:
        super().__init__(**uvicorn)
        self._pool = pool
        self.since = self.loop.time()  # time of the last received byte, or of the end of the last response
        self.served = False  # whether it has received a response
        self._headers_since: float | None = self.since  # time since which headers are expected
        self.after_handshake: Callable[[asyncio.Transport], None] | None = None  # TLS: the pool has admitted it already

    @property
    def waiting(self) -> bool:
        """Return whether no request is in progress."""
        return self.cycle is None or self.cycle.response_complete

    def overdue(self, now: float) -> str | None:
        """Return the reason to close the connection; None without one."""
        limits = self._pool.limits
        if self.waiting:
            if self._headers_since is not None and now - self._headers_since > limits.header_s:
                return "slow_headers"
            return "idle" if now - self.since > limits.idle_s else None
        stuck = self.cycle.more_body or self.flow.write_paused
        return "stalled" if stuck and now - self.since > limits.body_s else None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self.transport = transport
        if self.after_handshake is not None:
            self.after_handshake(transport)
        if self.after_handshake is not None or self._pool.admit(self):
            super().connection_made(transport)
            return
        transport.write(BUSY)
        transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._pool.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self.since = self.loop.time()
        if self.waiting and self._headers_since is None:
            self._headers_since = self.since
        super().data_received(data)
        if not self.waiting:
            self._headers_since = None

    def resume_writing(self) -> None:
        self.since = self.loop.time()
        super().resume_writing()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self._pool.leave(self)  # the WebSocket has timeouts of its own
        super().handle_websocket_upgrade(event)

    def on_response_complete(self) -> None:
        self.since, self.served, self._headers_since = self.loop.time(), True, None
        super().on_response_complete()
