"""Backups of the database."""

from datetime import datetime
from typing import Literal

from pydantic import AwareDatetime, Field

from monitor.api.schema.wire import Wire


class OrderBackup(Wire):
    """An order for a backup, or for an export as Parquet (`kind`).

    An export has the rows of `tables` (null: of all tables), without rows older than `since` where the table has a
    time.
    """

    kind: Literal["database", "parquet"] = "database"
    tables: list[str] | None = Field(default=None, min_length=1, max_length=500)
    since: AwareDatetime | None = None


class DiscardBackup(Wire):
    """An order to remove the copy of a backup. It has no options."""


class BackupFileItem(Wire):
    """A file of a backup, its SHA-256, and the SHA-256 of each of its chunks."""

    name: str
    bytes: int
    sha256: str
    chunks: list[str]


class ManifestItem(Wire):
    """What a backup contains: the number of rows by table, and the newest entry of the audit log as NUMBER:HASH.

    `sha256` is that of all other fields. `since` and `revealed` are those of an export.
    """

    id: str
    kind: Literal["database", "parquet"]
    created_at: datetime
    driftd: str
    duckdb: str
    schema_version: int
    audit_head: str
    tables: dict[str, int]
    files: list[BackupFileItem]
    since: datetime | None
    revealed: bool
    chunk_bytes: int
    format: int
    sha256: str


class BackupItem(Wire):
    """A backup. `manifest` is there when its state is `ready`, `error` when it is `failed`.

    The daemon keeps the copy until it is discarded, or for an hour after its last read.
    """

    id: str
    kind: Literal["database", "parquet"]
    who: str
    ordered_at: datetime
    state: Literal["copying", "ready", "failed"]
    error: str | None
    manifest: ManifestItem | None
