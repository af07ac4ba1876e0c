"""A traffic report: one comparison of a window of production traffic with a reference window."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

# Of a page: no script, style or picture comes from elsewhere, also when the file is opened from a disk.
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
    """Calls of [since, until) beside those of [reference_since, since).

    `distances` is by column, None where too few values say one; `counts` how many values the reference and the window
    had. `evidence` is the result of driftd's own error control after this window
    (monitor/drift/production/input_drift.py). `path` is the place of the page under the reports' folder, None when
    there is none (any more); `reason` is a sentence on the state.
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
