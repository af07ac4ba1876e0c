"""The limit of open files of the process, and how many connections it leaves to each listener."""

import resource
from dataclasses import dataclass
from typing import Final

MOST: Final = 65_536  # more brings nothing, and some libraries walk over every number up to the limit
RESERVED: Final = 128  # database, logs, calls to models, Kafka, receivers, pages of reports
LISTENERS: Final = 3  # the API, OTLP over HTTP and over gRPC
FEWEST: Final = 8  # connections of a listener, however low the limit is


@dataclass(frozen=True, slots=True, kw_only=True)
class DescriptorLimit:
    """`soft` is in force; a process may raise it up to `hard`."""

    soft: int
    hard: int

    @property
    def reachable(self) -> int:
        """The limit after `raise_limit`."""
        return max(self.soft, min(self.hard, MOST))


def current_limit() -> DescriptorLimit:
    """Return the limit of this process."""
    soft, hard = (MOST if limit == resource.RLIM_INFINITY else limit for limit in resource.getrlimit(_FILES))
    return DescriptorLimit(soft=soft, hard=hard)


def raise_limit() -> DescriptorLimit:
    """Raise the soft limit as far as the hard one allows, and return what is in force now."""
    before = current_limit()
    if before.soft < before.reachable:
        resource.setrlimit(_FILES, (before.reachable, resource.getrlimit(_FILES)[1]))
    return current_limit()


def connections_for(descriptors: int, wanted: int) -> int:
    """Return how many connections each listener may keep open.

    >>> connections_for(65_536, 1_024), connections_for(256, 1_024), connections_for(64, 1_024)
    (1024, 42, 8)
    """
    return min(wanted, max(FEWEST, (descriptors - RESERVED) // LISTENERS))


def descriptors_for(wanted: int) -> int:
    """Return the smallest limit of open files with which every listener may keep `wanted` connections.

    >>> connections_for(descriptors_for(1_024), 1_024)
    1024
    """
    return RESERVED + LISTENERS * wanted


_FILES: Final = resource.RLIMIT_NOFILE
