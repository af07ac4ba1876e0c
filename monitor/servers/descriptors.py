"""The limit of open files of the process, and the number of connections that it allows each listener."""

import resource
from dataclasses import dataclass
from typing import Final

MAX_LIMIT: Final = 65_536  # more has no use, and some libraries iterate over all numbers up to the limit
RESERVED: Final = 128  # database, logs, calls to models, Kafka, receivers, pages of reports
LISTENERS: Final = 3  # the API, OTLP/HTTP and OTLP/gRPC
MIN_CONNECTIONS: Final = 8  # of a listener, at any limit


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptorLimit:
    """The limits of open files. `soft` is in force; a process may raise it up to `hard`."""

    soft: int
    hard: int

    @property
    def reachable(self) -> int:
        """Return the soft limit after `raise_limit`."""
        return max(self.soft, min(self.hard, MAX_LIMIT))


def current_limit() -> DescriptorLimit:
    """Return the limit of this process."""
    soft, hard = (MAX_LIMIT if limit == resource.RLIM_INFINITY else limit for limit in resource.getrlimit(_FILES))
    return DescriptorLimit(soft=soft, hard=hard)


def raise_limit() -> DescriptorLimit:
    """Raise the soft limit as far as the hard limit allows. Return the limits that are now in force."""
    before = current_limit()
    if before.soft < before.reachable:
        resource.setrlimit(_FILES, (before.reachable, resource.getrlimit(_FILES)[1]))
    return current_limit()


def connections_for(descriptors: int, requested: int) -> int:
    """Return how many open connections each listener may have.

    >>> connections_for(65_536, 1_024), connections_for(256, 1_024), connections_for(64, 1_024)
    (1024, 42, 8)
    """
    return min(requested, max(MIN_CONNECTIONS, (descriptors - RESERVED) // LISTENERS))


def descriptors_for(requested: int) -> int:
    """Return the lowest limit of open files with which every listener may have `requested` connections.

    >>> connections_for(descriptors_for(1_024), 1_024)
    1024
    """
    return RESERVED + LISTENERS * requested


_FILES: Final = resource.RLIMIT_NOFILE
