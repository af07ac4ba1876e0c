"""Why the database file is written anew: what was removed from it must not stay readable in its bytes."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class RewriteKind(StrEnum):
    ERASE = "erase"  # a user's rows were removed
    RETENTION = "retention"  # rows beyond their limits were removed
    COMPACT = "compact"  # somebody wants the space back


@dataclass(frozen=True, slots=True, kw_only=True)
class Rewrite:
    """An order, and an entry of the audit. `removed` counts the rows that went, by table.

    `user_hash` is "salt:SHA-256 of salt and user id": it answers whether a given user was erased, and tells no name.
    """

    id: str
    kind: RewriteKind
    at: datetime
    who: str
    removed: Mapping[str, int]
    user_hash: str | None = None
    rewritten_at: datetime | None = None  # None while the old bytes are still in the file

    @property
    def removed_rows(self) -> int:
        return sum(self.removed.values())
