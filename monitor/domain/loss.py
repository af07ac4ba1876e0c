"""Loss of committed transactions, found at a start."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LossReason(StrEnum):
    FEWER = "fewer"  # the database has fewer transactions than were committed
    REPLACED = "replaced"  # another database is at the path of the old one
    UNKNOWN = "unknown"  # the watermark file is missing or unreadable, so a comparison is impossible


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """A detected loss. `commits` transactions with `changed_rows` rows are missing, committed after `since` and until
    `until`; None means unknown.
    """

    id: str
    found_at: datetime
    reason: LossReason
    commits: int | None
    changed_rows: int | None
    since: datetime | None
    until: datetime | None
    acknowledged_at: datetime | None = None
    acknowledged_by: str | None = None
    note: str | None = None

    @property
    def sentence(self) -> str:
        """Return what is missing, why, and what to do."""
        return f"{self._what()}; restore the newest backup, or accept it with `driftd db acknowledge`"

    def _what(self) -> str:
        until = "an unknown time" if self.until is None else f"{self.until:%Y-%m-%d %H:%M:%S} UTC"
        match self.reason:
            case LossReason.FEWER:
                since = "" if self.since is None else f"between {self.since:%Y-%m-%d %H:%M:%S} and "
                return (
                    f"{self.commits} acknowledged transactions with {self.changed_rows} changed rows are missing, "
                    f"committed {since}{until}: the write-ahead log was truncated or removed, or an older copy restored"
                )
            case LossReason.REPLACED:
                return (
                    "this is not the database of the previous start; that one had "
                    f"{self.commits} transactions with {self.changed_rows} changed rows until {until}"
                )
            case LossReason.UNKNOWN:
                return (
                    "the watermark file is missing or unreadable, so missing rows cannot be detected; "
                    f"the newest transaction of the database is of {until}"
                )
