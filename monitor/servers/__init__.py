"""The listeners: ASGI applications and gRPC services, with TLS and a limited number of connections."""

from monitor.servers.connections import ConnectionLimits
from monitor.servers.serving import GrpcListener, HttpListener, Servers

__all__ = [
    "ConnectionLimits",
    "GrpcListener",
    "HttpListener",
    "Servers",
]
