"""Trace ids of the calls of a run. They are known in advance, so driftd recognizes replays in production telemetry."""

import hashlib
import re
from collections.abc import Awaitable, Callable

from replay.errors import ReplayError
from replay.targets.base import CallContext, unlimited

_PREFIX = re.compile(r"[0-9a-f]{16}")


def check_trace_prefix(prefix: str) -> None:
    if not _PREFIX.fullmatch(prefix) or set(prefix) == {"0"}:
        raise ReplayError(f"trace prefix {prefix!r} must be 16 lower-case hex digits, not all zero")


def call_context(  # noqa: PLR0917 - what names one attempt
    run_id: str,
    trace_prefix: str,
    case_id: str,
    sample: int,
    attempt: int,
    reserve: Callable[[], Awaitable[None]] = unlimited,
) -> CallContext:
    """Return the context of one sample of one case. The trace is the same after a resume; each attempt is a span of its
    own.
    """
    trace = trace_prefix + _digest(run_id, case_id, str(sample))
    return CallContext(run_id=run_id, trace_id=trace, span_id=_digest(trace, str(attempt)), reserve=reserve)


def _digest(*parts: str) -> str:
    """Return 16 hex digits of a SHA-256. The lengths separate ("ab", "c") from ("a", "bc")."""
    named = "".join(f"{len(part)}:{part}" for part in parts)
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
