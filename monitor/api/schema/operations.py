"""The daemon: health, status, compactions, losses and traffic reports."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from monitor.api.schema.wire import Wire


class DaemonItem(Wire):
    """The process that answers: its database, and the configuration file that it was started with.

    Commands compare `database` with their own configuration. Both configuration fields are null for a process without a
    configuration file; `config_sha256` is the digest of the file at the start.
    """

    pid: int
    database: str
    config_path: str | None = None
    config_sha256: str | None = None


class ArrivalsItem(Wire):
    """Production calls of one deployment by arrival time; `last_at` is null when none is stored.

    `clock_ahead` counts calls of the last day that began more than a day after they arrived, by the clock of the
    sender.
    """

    deployment: str
    last_minute: int
    last_hour: int
    last_day: int
    clock_ahead: int = 0
    last_at: datetime | None


class DiskItem(Wire):
    """The disk of the database, in bytes. While `paused`, fewer bytes than the reserve were free: driftd stores no new
    records and starts no replay.
    """

    free_bytes: int
    total_bytes: int
    reserve_bytes: int
    paused: bool


class StatusItem(Wire):
    """The status of the daemon: `GET /api/v1/status`. `now` is the clock of the daemon; screens use it.

    `unmonitored` counts the calls of the last day of deployments that are not configured, usually a service that is
    missing in `service_names`. `arrivals` has every configured deployment, and every other that sent a call within a
    day. `unread` counts unread values by name since `unread_since`: the hour 23 hours before the current one, or the
    start of the daemon if that is later; null when no daemon runs. `warnings` describe what needs a person: replays
    that fail or are missed, notifications that a receiver does not accept, timestamps recorded while the clock was
    ahead.
    """

    now: datetime
    code_version: str
    store_kind: Literal["file", "lake"] = "file"
    store_bytes: int
    disk: DiskItem | None = None
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
    """The sender of the request and the daemon that answers: `GET /api/v1/whoami`.

    `kind` is how the daemon knows the sender: `local` (it has no tokens), `token`, or `user` (an ID token of the login,
    with the name of the user and the end of the session). `deployments` are those that the sender reaches, null for
    all.
    """

    name: str
    roles: list[str]
    kind: str = "token"
    user: str | None = None
    expires_at: datetime | None = None
    deployments: list[str] | None = None
    daemon: DaemonItem | None = None


class OrderCompaction(Wire):
    """An order to compact the store. `erase_user` is the user whose rows are removed first, or null."""

    erase_user: str | None = Field(default=None, min_length=1, max_length=1000)


class CompactionItem(Wire):
    """A compaction and its reason; `removed` counts the removed rows by table.

    `compacted_at` is null while their bytes are still in the file, or in the Parquet files of a lake.
    """

    id: str
    kind: str
    at: datetime
    who: str
    removed: dict[str, int]
    compacted_at: datetime | None


class LossItem(Wire):
    """Acknowledged transactions that were missing at a start of the daemon, committed after `since` and until `until`.

    `reason` is `fewer` (the log was truncated or removed, or replaced by an older copy), `replaced` (another database
    has the path of the previous one) or `unknown` (the journal file is missing). Null where a number is unknown.
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
    """Acknowledge all open losses; `note` is the reason for the record."""

    note: str | None = Field(default=None, min_length=1, max_length=1000)


class AcknowledgedLosses(Wire):
    """The number of acknowledged losses."""

    acknowledged: int


class DeadLetterItem(Wire):
    """A rejected record: its source, the reason and its length in bytes. Its content is not shown."""

    id: str
    received_at: datetime
    source: str
    code: str
    reason: str
    raw_bytes: int


class DeadLetterDetail(DeadLetterItem):
    """A dead letter with its `content`, redacted and at most the first 64 KiB; `truncated` if there is more.

    `not_retryable` is the reason why driftd cannot decode it again, null if it can.
    """

    content: str
    truncated: bool
    not_retryable: str | None


class RetryDeadLetter(Wire):
    """Decode a dead letter again. `record` is a corrected native record, which takes the place of the stored one."""

    record: dict[str, Any] | None = None


class RemoveDeadLetter(Wire):
    """Remove a dead letter without a retry."""


class RemovedDeadLetter(Wire):
    """The dead letter that was removed. After a retry, `type` and `record_id` are those of the stored record, and
    `duplicate` is whether it was stored before.
    """

    id: str
    type: Literal["interaction", "feedback"] | None = None
    record_id: str | None = None
    duplicate: bool = False


class ReportItem(Wire):
    """A comparison of production traffic in [since, until) with traffic in [reference_since, since).

    `distances` is by column, null with too few values; `counts` are the numbers of values in the reference and in the
    window. `evidence` is the verdict after driftd's own error control; `page` is whether `/page` has an HTML page.
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
    """The answer of `/healthz` and `/readyz` when the daemon works; otherwise they answer a problem document.

    `degraded`: the daemon works, but the parts named in `degraded_components` do not: sources that stopped or stalled,
    a disk without space for new records, replays that fail or are missed. `/api/v1/status` and the log have the
    reasons.
    """

    status: Literal["ok", "degraded"]
    degraded_components: tuple[str, ...] = ()
