"""Corrected answers and abandoned conversations of a window by day and version, past days as they are stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

import pyarrow as pa

from monitor.store.aggregates.day_rollups import Window, gaps, settled_days
from monitor.store.aggregates.settled_days import DAY, REACH, WHITE_SPACE, midnight
from monitor.store.engine.transaction import Row, Tx

ANY_TIME: Final = 1_000_000  # days after the call in which a correction counts
# From no batches: `Schema.empty_table` would import pandas.
NO_ENDINGS: Final = pa.Table.from_batches(
    [],
    pa.schema(
        [("version", pa.string()), ("conversation_id", pa.string()), ("started_at", pa.timestamp("us", tz="UTC"))]
    ),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedDay:
    """The counts of answered calls of one version on one UTC day, and of the conversations that ended without
    information.
    """

    day: date
    version: str | None
    interactions: int = 0
    explicit: int = 0
    turns: int = 0
    flagged: int = 0
    abandoned: int = 0

    def __add__(self, other: "CorrectedDay") -> "CorrectedDay":
        return CorrectedDay(
            day=self.day,
            version=self.version,
            interactions=self.interactions + other.interactions,
            explicit=self.explicit + other.explicit,
            turns=self.turns + other.turns,
            flagged=self.flagged + other.flagged,
            abandoned=self.abandoned + other.abandoned,
        )


def counts(
    tx: Tx, deployment: str, *, since: datetime, until: datetime, detector: str, ended_before: datetime
) -> list[CorrectedDay]:
    """Return the counts of the calls in [since, until), in any order and possibly in parts. Turns are those of the
    detector; "" is none.
    """
    since, until = since.astimezone(UTC), until.astimezone(UTC)
    first, after = _whole_days(since, until)
    settled = [one.day for one in settled_days(tx, deployment, first, after)]
    live = list(gaps(settled, since, until))
    window = {"deployment": deployment, "since": since, "until": until}
    found = [_answered(row) for row in _traffic(tx, deployment, first, after, live)]
    if detector:
        found += [CorrectedDay(**row) for row in tx.query("turn_counts", **window, version=detector)]
    endings = [
        tx.table("endings", deployment=deployment, since=begin, until=end, space=WHITE_SPACE) for begin, end in live
    ]
    rows = tx.query(
        "abandoned_conversations",
        batch=pa.concat_tables(endings) if endings else NO_ENDINGS,
        deployment=deployment,
        until=until,
        first=first,
        after=after,
        searched_since=_searched_since(live, first, after, since, until),
        ended_before=ended_before,
    )
    return found + [CorrectedDay(**row) for row in rows]


def _whole_days(since: datetime, until: datetime) -> tuple[date, date]:
    """Return the first and the day after the last UTC day that are completely in [since, until)."""
    first = since.date() if midnight(since.date()) == since else since.date() + DAY
    return first, max(first, until.date())


def _searched_since(live: Sequence[Window], first: date, after: date, since: datetime, until: datetime) -> datetime:
    """Return the time from which calls can continue a conversation in a way that no stored continuation has."""
    if after - first > DAY * REACH:
        return since
    return live[0][0] if live else until


def _traffic(tx: Tx, deployment: str, first: date, after: date, live: Iterable[Window]) -> list[Row]:
    late = {"deployment": deployment, "late_days": ANY_TIME}
    rows = tx.query("settled_version_days", **late, since=first, until=after)
    for begin, end in live:
        rows += tx.query("answered_days", **late, since=begin, until=end)
    return rows


def _answered(row: Row) -> CorrectedDay:
    return CorrectedDay(
        day=row["day"],
        version=row["version"],
        interactions=row["calls"] - row["failed"],
        explicit=row["corrected"],
    )
