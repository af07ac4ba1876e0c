"""What the pages trust when they call the daemon over TLS. `dashboards.server` sets it once, before the first page."""

import ssl

from monitor.tls.trust import Trust

_contexts: list[ssl.SSLContext] = []  # at most one; to create one takes as long as a request


def trust(given: Trust) -> None:
    """Use `given` for all connections of this process. Raises UsageError for an unusable file."""
    context = given.context()
    _contexts[:] = [] if context is None else [context]


def verification() -> ssl.SSLContext | bool:
    """Return the argument `verify` of httpx: True for the authorities of the system."""
    return _contexts[0] if _contexts else True
