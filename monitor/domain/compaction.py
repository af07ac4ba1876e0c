"""Compactions of the database file: removed rows must not stay readable in its bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class CompactionKind(StrEnum):
    ERASE = "erase"  # a user's rows were removed
    RETENTION = "retention"  # rows beyond their limits were removed
    COMPACT = "compact"  # requested by a person, to free space


@dataclass(frozen=True, slots=True, kw_only=True)
class Compaction:
    """A request for a compaction, and its entry in the audit log. `removed` counts the removed rows by table.

    `user_hash` is "salt:SHA-256 of salt and user id". It shows whether a given user was erased, and contains no name.
    """

    id: str
    kind: CompactionKind
    at: datetime
    who: str
    removed: Mapping[str, int]
    user_hash: str | None = None
    compacted_at: datetime | None = None  # None while the old bytes are still in the file

    @property
    def removed_rows(self) -> int:
        return sum(self.removed.values())
