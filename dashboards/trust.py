"""What the pages trust when they call the daemon over TLS. `dashboards.server` sets it once, before the first page."""

import ssl

import httpx

from monitor.tls.trust import Trust

_contexts: list[ssl.SSLContext] = []  # at most one; to load the authorities takes longer than a request


def trust(given: Trust) -> None:
    """Use `given` for all connections of this process. Raises UsageError for an unusable file."""
    context = given.context()
    _contexts[:] = [] if context is None else [context]


def verification() -> ssl.SSLContext:
    """Return the settings of all connections: by default, the authorities of the system are trusted."""
    if not _contexts:
        _contexts.append(httpx.create_ssl_context())
    return _contexts[0]
