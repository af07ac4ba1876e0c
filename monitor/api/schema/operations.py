"""The daemon itself: health, compactions, reports."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from monitor.api.schema.wire import Wire


class DaemonItem(Wire):
    """The process that answers: its database, and the configuration file that it was started with.

    Commands compare `database` with their own configuration. Both configuration fields are null in a process that was
    not started from a file; `config_sha256` is the digest of the file's text at the start.
    """

    pid: int
    database: str
    config_path: str | None = None
    config_sha256: str | None = None


class ArrivalsItem(Wire):
    """Production calls of one deployment by when they arrived; `last_at` is null when none is kept.

    `clock_ahead` of the last day began more than a day after they arrived, by the clock of their sender.
    """

    deployment: str
    last_minute: int
    last_hour: int
    last_day: int
    clock_ahead: int = 0
    last_at: datetime | None


class StatusItem(Wire):
    """What the daemon says of itself: `GET /api/v1/status`. `now` is its own clock, which screens must use.

    `unmonitored` counts calls of the last day by a deployment that no configuration names: mostly a service whose name
    stands in no `service_names`. `arrivals` has every deployment that the configuration names, and every other that
    sent a call within a day. `unread` counts optional values of calls that could not be read, by name, since
    `unread_since`: the hour 23 hours before this one, or the start of the daemon when that was later; null when no
    daemon runs. `warnings` are sentences about what needs a person: replays that fail or do not
    happen, notifications that a receiver does not take, instants recorded while the clock was ahead.
    """

    now: datetime
    code_version: str
    store_bytes: int
    intake_rows: int
    intake_capacity: int
    dead_letters: int
    arrivals: list[ArrivalsItem] = Field(default_factory=list)
    unmonitored: dict[str, int] = Field(default_factory=dict)
    unread: dict[str, int] = Field(default_factory=dict)
    unread_since: datetime | None = None
    warnings: list[str] = Field(default_factory=list)
    loops: dict[str, str]
    daemon: DaemonItem | None = None


class CallerItem(Wire):
    """Who sends the request and which daemon answers it: `GET /api/v1/whoami`."""

    name: str
    roles: list[str]
    daemon: DaemonItem | None = None


class OrderCompaction(Wire):
    """A compaction of the database file; `erase_user` names the user whose rows are removed before, null for none."""

    erase_user: str | None = Field(default=None, min_length=1, max_length=1000)


class CompactionItem(Wire):
    """Why the file was written anew: `removed` counts the rows that went, by table.

    `compacted_at` is null while their bytes are still in the file.
    """

    id: str
    kind: str
    at: datetime
    who: str
    removed: dict[str, int]
    compacted_at: datetime | None


class LossItem(Wire):
    """Acknowledged transactions that a start found missing, committed after `since` and until `until`.

    `reason` is `fewer` (the log was cut or removed, or an older copy put in place), `replaced` (another database is in
    the place of the one before) or `unknown` (the file outside the log is gone). Null where a number is unknown.
    """

    id: str
    found_at: datetime
    reason: str
    commits: int | None
    changed_rows: int | None
    since: datetime | None
    until: datetime | None
    acknowledged_at: datetime | None
    acknowledged_by: str | None
    note: str | None
    sentence: str


class AcknowledgeLosses(Wire):
    """Accepts every loss that waits; `note` says why, for the record."""

    note: str | None = Field(default=None, min_length=1, max_length=1000)


class AcknowledgedLosses(Wire):
    """How many losses were acknowledged."""

    acknowledged: int


class DeadLetterItem(Wire):
    """A record that was rejected: where it came from, why, and how long it was in bytes. What it held is not told."""

    id: str
    received_at: datetime
    source: str
    code: str
    reason: str
    raw_bytes: int


class ReportItem(Wire):
    """A comparison of production traffic of [since, until) with that of [reference_since, since).

    `distances` is by column, null where too few values say one; `counts` the values of the reference and of the window.
    `evidence` is the verdict of driftd's own error control after it; `page` says whether `/page` has something to show.
    """

    id: str
    deployment: str
    kind: str
    at: datetime
    reference_since: datetime
    since: datetime
    until: datetime
    state: str
    reason: str
    page: bool
    sha256: str | None
    bytes: int | None
    distances: dict[str, float | None]
    counts: dict[str, tuple[int, int]]
    evidence: dict[str, Any]


class HealthItem(Wire):
    """The answer of `/healthz` and `/readyz` when the daemon works; otherwise they answer a problem.

    `degraded`: the daemon works, but the parts named in `degraded_components` do not: sources that stopped or stalled,
    replays that fail or are missed. `/api/v1/status` and the log give the reasons.
    """

    status: Literal["ok", "degraded"]
    degraded_components: tuple[str, ...] = ()
