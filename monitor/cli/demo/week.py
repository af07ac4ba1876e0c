"""The times of the demo: six nights, the last one recent, then the afternoon of the change."""

from dataclasses import dataclass
from datetime import datetime, timedelta

NIGHTS = 6
NIGHT_HOUR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Week:
    start: datetime
    nights: tuple[datetime, ...]
    change: datetime


def week_before(now: datetime) -> Week:
    """Return a week that ends with a change early today or yesterday, so that the whole demo is before `now`.

    The change comes three hours after the last night, and the traffic before the first night takes less than seven
    hours, so the times never overlap.
    """
    last = now.replace(hour=NIGHT_HOUR, minute=0, second=0, microsecond=0)
    while last + timedelta(hours=9) > now:
        last -= timedelta(days=1)
    nights = tuple(last - timedelta(days=NIGHTS - 1 - n) for n in range(NIGHTS))
    return Week(start=nights[0] - timedelta(hours=10), nights=nights, change=last + timedelta(hours=3))
