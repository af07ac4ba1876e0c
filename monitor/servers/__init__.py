"""The listeners: ASGI applications and gRPC services on their sockets, with bounded connections."""

from monitor.servers.connections import ConnectionLimits
from monitor.servers.serving import GrpcListener, HttpListener, Servers

__all__ = ["ConnectionLimits", "GrpcListener", "HttpListener", "Servers"]
