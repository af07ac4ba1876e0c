"""The roles of processes that share a lake. A process with a database file has the role `all`."""

from enum import StrEnum


class Role(StrEnum):
    """What one process does. Every role serves the API, with `/healthz`, `/readyz` and `/metrics`."""

    ALL = "all"
    INGEST = "ingest"
    CONTROL = "control"
    WORK = "work"
    MAINTAIN = "maintain"
    API = "api"

    @property
    def ingests(self) -> bool:
        """Return whether the process receives OTLP and reads sources."""
        return self in (Role.ALL, Role.INGEST)

    @property
    def leads(self) -> bool:
        """Return whether the process runs the loops that one process at a time may run."""
        return self in (Role.ALL, Role.CONTROL)

    @property
    def maintains(self) -> bool:
        """Return whether the process maintains the files of the lake, in place of the process that leads."""
        return self is Role.MAINTAIN

    @property
    def works(self) -> bool:
        """Return whether the process replays slices of the runs of the process that leads."""
        return self is Role.WORK
