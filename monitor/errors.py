"""Every error that driftd raises on purpose.

Retryable: the same input may work later. Permanent: the same input never works. Any other exception is a bug and is not
caught. The message is one sentence for a person: what failed, where, and what to do.
"""

from collections.abc import Iterable

from monitor.printable import printable


class DriftdError(Exception):
    """The base class. `exit_code` is the exit code of a command, `status` the HTTP status."""

    exit_code = 1
    status = 500
    code = "internal"


class Retryable(DriftdError):
    status = 503
    code = "unavailable"
    retry_after_s: float = 1.0


class IntakeFull(Retryable):
    """The ingest queue is full. The sender retries after `retry_after_s` seconds."""

    status = 429
    code = "intake_full"


class StoreUnavailable(Retryable):
    """The database cannot accept a write now: the disk is full, or the daemon is stopping."""

    code = "store_unavailable"


class DiskReserveReached(StoreUnavailable):
    """The disk of the database has too little space for new records. Reads and small writes work."""

    code = "disk_reserve"
    retry_after_s = 30.0


class LeaseLost(StoreUnavailable):
    """Another process holds the lease that a write needs, or may hold it soon."""

    code = "lease_lost"


class ReadInterrupted(StoreUnavailable):
    """A query was interrupted because its result is no longer needed."""

    code = "read_interrupted"


class SourceUnavailable(Retryable):
    """A source of records, for example a Kafka cluster, does not respond now."""

    code = "source_unavailable"


class Permanent(DriftdError):
    status = 400
    code = "invalid"


class ConfigError(Permanent):
    """The configuration is invalid. The message names the path of the key."""

    exit_code = 2
    code = "config"


class UsageError(Permanent):
    """The arguments of the command are invalid."""

    exit_code = 2
    code = "usage"


class MalformedRecord(Permanent):
    """One record cannot be decoded. It is stored in `dead_letter`; the other records of its batch are committed."""

    code = "malformed"


class SourceStopped(Permanent):
    """A source cannot continue without losing records. The message names the decision that an operator must make."""

    code = "source_stopped"


class NotFound(Permanent):
    """A name does not exist. `unknown` builds this error with the list of the names that exist."""

    exit_code = 2
    status = 404
    code = "not_found"


class Conflict(Permanent):
    status = 409
    code = "conflict"


class NoExpectation(Permanent):
    """A candidate without an expected answer cannot become a case."""

    status = 422
    code = "no_expectation"


class Unjudged(Permanent):
    """No scorer of the set can judge the case that the candidate would become."""

    status = 422
    code = "unjudged"


class OffsetConflict(Conflict):
    """The first offset of a batch does not follow the last stored offset of its partition."""

    code = "offset_conflict"


class Unauthenticated(Permanent):
    status = 401
    code = "unauthenticated"


class Forbidden(Permanent):
    status = 403
    code = "forbidden"


class StoreLocked(Permanent):
    """Another process has the database file open, and no API responds."""

    exit_code = 2
    code = "store_locked"


class SchemaTooNew(Permanent):
    """A newer version of driftd wrote the database file."""

    exit_code = 2
    code = "schema_too_new"


def unknown(kind: str, name: str, known: Iterable[str]) -> NotFound:
    r"""Return the error for a name that does not exist, with the names that do. Control characters are escaped.

    >>> str(unknown("eval set", "primse", {"primes", "a\x1b[31m"}))
    "eval set 'primse' is unknown; known: a\\x1b[31m, primes"
    """
    names = ", ".join(map(printable, sorted(known))) or "none"
    return NotFound(f"{kind} {name!r} is unknown; known: {names}")
