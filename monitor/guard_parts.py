"""Builds the checks and headers of the HTTP listeners from the configuration. app.py connects them."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from monitor.config.tree import Config

if TYPE_CHECKING:
    from starlette.types import ASGIApp


def guard(config: Config, *, has_tokens: bool) -> "Callable[[ASGIApp], ASGIApp]":
    """Return a function that adds the checks of Host and Origin and the security headers to an application.

    Without tokens the applications have stricter checks of their own (monitor/guards/local_callers.py).
    """

    def guarded(app: "ASGIApp") -> "ASGIApp":
        from monitor.guards.allowed_callers import AllowedCallers
        from monitor.guards.security_headers import SecurityHeaders

        section = config.connections
        if has_tokens:
            app = AllowedCallers(app, hosts=section.allowed_hosts, origins=section.allowed_origins)
        return SecurityHeaders(app, hsts_s=config.tls.hsts_s)

    return guarded
