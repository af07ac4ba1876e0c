"""Every error driftd raises on purpose, on one screen.

Retryable: the same input may work later. Permanent: it never will. Anything else is a bug and rises.
The message is the sentence a person reads: what, where, what to do.
"""

from collections.abc import Iterable


class DriftdError(Exception):
    """Base of all; `exit_code` is what a command leaves with, `status` what HTTP answers."""

    exit_code = 1
    status = 500
    code = "internal"


class Retryable(DriftdError):
    status = 503
    code = "unavailable"
    retry_after_s: float = 1.0


class IntakeFull(Retryable):
    """The intake holds as many rows as it may; send again after `retry_after_s`."""

    status = 429
    code = "intake_full"


class StoreUnavailable(Retryable):
    """The database cannot take a write now (disk full, shutting down)."""

    code = "store_unavailable"


class ReadInterrupted(StoreUnavailable):
    """A query was ended before it had an answer: nobody waits for it any more."""

    code = "read_interrupted"


class SourceUnavailable(Retryable):
    """What driftd reads from (a Kafka cluster) does not answer now."""

    code = "source_unavailable"


class Permanent(DriftdError):
    status = 400
    code = "invalid"


class ConfigError(Permanent):
    """The configuration does not hold; the message names the path of the key."""

    exit_code = 2
    code = "config"


class UsageError(Permanent):
    """The command was called in a way that cannot work."""

    exit_code = 2
    code = "usage"


class MalformedRecord(Permanent):
    """One record cannot be read; it goes to `dead_letter`, the rest of its batch lands."""

    code = "malformed"


class SourceStopped(Permanent):
    """A source cannot go on by itself without losing records; the message says what to decide."""

    code = "source_stopped"


class NotFound(Permanent):
    """A name that is not there. Built by `unknown`, which lists the names that are."""

    exit_code = 2
    status = 404
    code = "not_found"


class Conflict(Permanent):
    status = 409
    code = "conflict"


class NoExpectation(Permanent):
    """A candidate that does not say what a right answer is cannot become a case."""

    status = 422
    code = "no_expectation"


class Unjudged(Permanent):
    """No scorer of the set reaches a verdict on the case that a candidate would become."""

    status = 422
    code = "unjudged"


class OffsetConflict(Conflict):
    """A batch was not read from where the stored rows of its partition end."""

    code = "offset_conflict"


class Unauthenticated(Permanent):
    status = 401
    code = "unauthenticated"


class Forbidden(Permanent):
    status = 403
    code = "forbidden"


class StoreLocked(Permanent):
    """Another process owns the database file and no API answers."""

    exit_code = 2
    code = "store_locked"


class SchemaTooNew(Permanent):
    """The file was written by a newer driftd."""

    exit_code = 2
    code = "schema_too_new"


def unknown(kind: str, name: str, known: Iterable[str]) -> NotFound:
    """`unknown("eval set", "primse", {"primes"})` reads: eval set 'primse' is unknown; known: primes."""
    names = ", ".join(sorted(known)) or "none"
    return NotFound(f"{kind} {name!r} is unknown; known: {names}")
