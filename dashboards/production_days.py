"""The days of production traffic as points of charts. Pure."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta

from dashboards.charts.day_charts import DayBar, DayPoint
from dashboards.charts.time_axis import TimeAxis
from dashboards.intervals import rate_interval
from monitor.api.schema import ChangeItem, ProductionDays, VersionDayItem

UNKNOWN = "unknown version"
MS = 1000.0
BAR = 0.84  # of a day; the rest is the gap to the next bar
Share = Callable[[Sequence[VersionDayItem]], tuple[int, int] | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class DaysView:
    """The chosen days of one deployment. `today` is the UTC day that is not over."""

    items: list[VersionDayItem]
    versions: list[str]  # names, the one with the most calls first
    today: date

    @classmethod
    def of(cls, found: ProductionDays, version: str | None) -> "DaysView":
        """Return all days, or those of one version."""
        kept = [item for item in found.items if version in {None, version_name(item)}]
        return cls(items=kept, versions=version_names(kept), today=found.until - timedelta(days=1))

    def by_day(self) -> dict[date, list[VersionDayItem]]:
        days: dict[date, list[VersionDayItem]] = {}
        for item in sorted(self.items, key=lambda one: one.day):
            days.setdefault(item.day, []).append(item)
        return days


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """The counts of the UTC day that is not over: calls, failed calls, and calls that were corrected until now."""

    calls: int
    failed: int
    corrected: int

    @classmethod
    def of(cls, found: ProductionDays) -> "Today":
        items = [item for item in found.items if item.day == found.until - timedelta(days=1)]
        return cls(
            calls=sum(item.calls for item in items),
            failed=sum(item.failed for item in items),
            corrected=sum(item.corrected for item in items),
        )


def version_name(item: VersionDayItem) -> str:
    return item.label or item.version or UNKNOWN


def version_names(items: Iterable[VersionDayItem]) -> list[str]:
    """Return the names of the versions, the one with the most calls first."""
    calls: dict[str, int] = {}
    for item in items:
        calls[version_name(item)] = calls.get(version_name(item), 0) + item.calls
    return sorted(calls, key=lambda name: (-calls[name], name))


def axis_of(days: Iterable[date], changes: Sequence[ChangeItem]) -> TimeAxis:
    """Return an axis with true distances from the first day to the end of the last one, with the changes in it."""
    known = sorted(days)
    begin, end = _place(midnight(known[0])), _place(midnight(known[-1]) + timedelta(days=1))
    margin = 0.02 * (end - begin)
    moments = [change.at for change in changes]
    return TimeAxis(places={at: _place(at) for at in moments}, begin=begin - margin, end=end + margin)


def changes_in(days: Iterable[date], changes: Sequence[ChangeItem]) -> list[ChangeItem]:
    """Return the changes on these days and between them."""
    known = sorted(days)
    if not known:
        return []
    begin, end = midnight(known[0]), midnight(known[-1]) + timedelta(days=1)
    return [change for change in changes if begin <= change.at < end]


def bars(view: DaysView, value: Callable[[VersionDayItem], float], shown: Callable[[float], str]) -> list[DayBar]:
    """Return one bar a day, stacked by version."""
    found: list[DayBar] = []
    for day, items in view.by_day().items():
        low = 0.0
        for item in sorted(items, key=lambda one: view.versions.index(version_name(one))):
            high = low + value(item)
            found.append(_bar(view, day, version_name(item), (low, high), shown(value(item))))
            low = high
    return found


def version_shares(view: DaysView) -> list[DayBar]:
    """Return the share of the calls of each day that each version served, stacked to 100 %."""
    found: list[DayBar] = []
    for day, items in view.by_day().items():
        total, low = sum(item.calls for item in items), 0
        for item in sorted(items, key=lambda one: view.versions.index(version_name(one))):
            high = low + item.calls
            shown = f"{100 * item.calls / total:.1f} % ({item.calls:,} of {total:,} calls)"
            found.append(_bar(view, day, version_name(item), (low / total, high / total), shown))
            low = high
    return found


def rates(view: DaysView, share: Share, line: str) -> list[DayPoint]:
    """Return the rate of each day with its 95 % interval. A day without a known share is left out."""
    found = []
    for day, items in view.by_day().items():
        counted = share(items)
        interval = rate_interval(*counted) if counted is not None else None
        if counted is None or interval is None:
            continue
        part, whole = counted
        shown = f"{100 * part / whole:.2f} % ({part:,} of {whole:,})"
        found.append(
            DayPoint(
                day=day.isoformat(),
                name=line,
                place=_noon(day),
                value=part / whole,
                low=interval.low,
                high=interval.high,
                shown=shown,
                over=day < view.today,
            )
        )
    return found


def values(
    view: DaysView, value: Callable[[VersionDayItem], float | None], shown: Callable[[float], str]
) -> list[DayPoint]:
    """Return the value of each version on each day."""
    return [
        DayPoint(
            day=day.isoformat(),
            name=version_name(item),
            place=_noon(day),
            value=found,
            low=None,
            high=None,
            shown=shown(found),
            over=day < view.today,
        )
        for day, items in view.by_day().items()
        for item in items
        if (found := value(item)) is not None
    ]


def corrected(items: Sequence[VersionDayItem]) -> tuple[int, int] | None:
    answered = sum(item.answered for item in items)
    return (sum(item.corrected for item in items), answered) if answered else None


def failed(items: Sequence[VersionDayItem]) -> tuple[int, int] | None:
    return sum(item.failed for item in items), sum(item.calls for item in items)


def refused(items: Sequence[VersionDayItem]) -> tuple[int, int] | None:
    """Return the refusals; None while a call of the day is not classified."""
    worded = [item.worded for item in items]
    if None in worded or not sum(one or 0 for one in worded):
        return None
    return sum(item.refused or 0 for item in items), sum(one or 0 for one in worded)


def rows_of(found: ProductionDays) -> list[Mapping[str, object]]:
    """Return the rows of a download: one for each day and version, with every count."""
    return [item.model_dump(mode="json") for item in found.items]


def midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def _bar(view: DaysView, day: date, name: str, span: tuple[float, float], shown: str) -> DayBar:
    begin = _place(midnight(day))
    low, high = span
    end = begin + BAR * 86_400 * MS
    return DayBar(
        day=day.isoformat(), name=name, begin=begin, end=end, low=low, high=high, shown=shown, over=day < view.today
    )


def _noon(day: date) -> float:
    return _place(midnight(day) + timedelta(hours=12))


def _place(at: datetime) -> float:
    return at.timestamp() * MS
