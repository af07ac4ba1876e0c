"""Maps times on the wall clock of a zone to instants, through gaps and folds of daylight saving time: pure."""

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

SAMPLE = timedelta(hours=12)  # no zone changes its offset more often
SHIFT = timedelta(hours=26)  # larger than every change of an offset: Samoa once skipped a whole day
_DAY, _MINUTE, _SECOND = timedelta(days=1), timedelta(minutes=1), timedelta(seconds=1)


def first_instant(wall: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the first instant, in UTC, at which the clock of `zone` shows `wall` or has jumped over it.

    A time that occurs twice is the first of the two. A time inside a gap is the first valid minute after it. None when
    the gap swallows the whole civil day: it has no instant.
    """
    early, late = _readings(wall, zone)
    if _local(early, zone) == wall:
        return early
    jump = _jump(min(early, late), max(early, late), zone)
    days = {_local(jump - _SECOND, zone).date(), _local(jump, zone).date()}
    return jump if wall.date() in days else None


def instant_of_day(wall: datetime, zone: ZoneInfo) -> datetime | None:
    """Return the same as `first_instant`, but on the civil day of `wall`.

    When the clock jumps over `wall` into the next civil day, this is the last minute before the jump.
    """
    at = first_instant(wall, zone)
    return at if at is None or _local(at, zone).date() == wall.date() else at - _MINUTE


def every_instant(wall: datetime, zone: ZoneInfo) -> tuple[datetime, ...]:
    """Return each instant, in UTC, at which the clock of `zone` shows `wall`.

    Two in a fold. A time inside a gap is where it would have been had the clock not jumped.
    """
    early, late = _readings(wall, zone)
    return (early,) if early == late or _local(early, zone) != wall else (early, late)


def wall_window(after: datetime, until: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return bounds of the wall-clock times, without a zone, whose instants can be in [after, until]."""
    offsets = [_offset(after, zone), _offset(until, zone)]
    sample = after - SHIFT
    while sample < until + SHIFT:
        offsets.append(_offset(sample, zone))
        sample += SAMPLE
    return (after + min(offsets)).replace(tzinfo=None), (until + max(offsets)).replace(tzinfo=None)


def next_civil_day(at: datetime, zone: ZoneInfo) -> datetime:
    """Return the first instant, in UTC, of the civil day of `zone` after that of `at`."""
    midnight = datetime.combine(_local(at, zone).date(), time())
    found = (first_instant(midnight + n * _DAY, zone) for n in (1, 2, 3))  # Samoa once skipped a whole day
    return next(day for day in found if day is not None and day > at)


def _readings(wall: datetime, zone: ZoneInfo) -> tuple[datetime, datetime]:
    """Return `wall` with the UTC offset before the nearest change of the clock, and with the offset after it."""
    before, after = (wall.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    return before, after


def _jump(low: datetime, high: datetime, zone: ZoneInfo) -> datetime:
    """Return the first whole minute in (low, high] with the offset that applies at `high`."""
    target = _offset(high, zone)
    while high - low > _SECOND:
        middle = low + timedelta(seconds=(high - low) // _SECOND // 2)
        low, high = (low, middle) if _offset(middle, zone) == target else (middle, high)
    return high if high.second == 0 else high.replace(second=0) + timedelta(minutes=1)


def _offset(at: datetime, zone: ZoneInfo) -> timedelta:
    offset = at.astimezone(zone).utcoffset()
    assert offset is not None, "a zone always has an offset"
    return offset


def _local(at: datetime, zone: ZoneInfo) -> datetime:
    return at.astimezone(zone).replace(tzinfo=None, fold=0)
