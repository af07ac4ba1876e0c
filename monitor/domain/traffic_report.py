"""A traffic report: one comparison of a window of production traffic with a reference window."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

# The page loads no script, style or image from another origin, also when the file is opened from disk.
PAGE_POLICY: Final = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; "
    "img-src data: blob:; font-src data:; connect-src 'none'; form-action 'none'; base-uri 'none'"
)


class TrafficReportKind(StrEnum):
    TRAFFIC = "traffic"


class TrafficReportState(StrEnum):
    MADE = "made"
    INSUFFICIENT = "insufficient"  # too few calls in one of the windows
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrafficReport:
    """The comparison of the calls of [since, until) with those of [reference_since, since).

    `distances` has one value for each column, None with too few values. `counts` has the numbers of values in the
    reference and in the window. `evidence` is the result of driftd's error control after this window
    (monitor/drift/production/input_drift.py). `path` is relative to the report folder, None without a page. `reason` is
    a sentence about the state.
    """

    id: str
    deployment: str
    kind: TrafficReportKind
    at: datetime
    reference_since: datetime
    since: datetime
    until: datetime
    state: TrafficReportState
    reason: str
    path: str | None = None
    sha256: str | None = None
    bytes: int | None = None
    distances: Mapping[str, float | None] = field(default_factory=dict)
    counts: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
