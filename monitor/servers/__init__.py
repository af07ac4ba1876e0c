"""The listeners: ASGI applications and gRPC services on their sockets, with bounded connections."""

from monitor.servers.connections import ConnectionLimits
from monitor.servers.serving import GrpcSite, Servers, Site

__all__ = ["ConnectionLimits", "GrpcSite", "Servers", "Site"]
