"""Pauses of schedules. A pause ends at its own end or when a person resumes the schedule; its row stays."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import datetime

from monitor.domain.calendar.pauses import Pause
from monitor.store.engine.append import row_of
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Tx


def of_schedules(tx: Tx) -> Mapping[str, Sequence[Pause]]:
    """Return all pauses by schedule, the oldest first. A schedule that was never paused has an empty list."""
    found: defaultdict[str, list[Pause]] = defaultdict(list)
    for row in tx.query("all_schedule_pauses"):
        found[row["schedule"]].append(Pause(**row))
    return found


def in_effect(tx: Tx, schedule: str, now: datetime) -> Pause | None:
    """Return the pause of the schedule at `now`; None when it is not paused."""
    return next((pause for pause in of_schedules(tx)[schedule] if pause.contains(now)), None)


def insert(tx: Tx, pause: Pause) -> None:
    """Store a pause. It replaces the pause that is in effect, which ends now."""
    resume(tx, pause.schedule, pause.paused_at, pause.paused_by)
    tx.insert("schedule_pause", table_of(TABLES["schedule_pause"], [row_of(pause)]))


def resume(tx: Tx, schedule: str, now: datetime, who: str) -> int:
    """End the pause of a schedule. Return the number of ended pauses, 0 when the schedule is not paused."""
    return tx.execute("resume_schedule", schedule=schedule, now=now, who=who)
