"""Shares of failure categories over time, as points and steps of charts. Pure."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time
from itertools import accumulate, pairwise

from dashboards.charts.share_areas import ShareStep
from dashboards.charts.time_axis import TimeAxis, held
from dashboards.charts.trends import TrendPoint
from dashboards.intervals import rate_interval
from dashboards.times import moment_in_zone
from monitor.api.schema.failures import CorrectionDaysItem, SetFailuresItem

PASSED = "none"
UNKNOWN = "uncategorised"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """The counts of one run, or of the corrections of one day. `of` is the number of cases or corrections."""

    key: str
    at: datetime
    when: str
    version: str
    of: int
    counts: dict[str, int]


def shares_of_set(found: SetFailuresItem, severities: Collection[str] = ()) -> list[Shares]:
    """Return the shares of each run with a scored case of these severities; of all severities without any."""
    shares = []
    for run in found.runs:
        counted: Counter[str] = Counter()
        for row in run.counts:
            if not severities or row.severity in severities:
                counted[row.failure_category] += row.cases
        of = counted.total()
        del counted[PASSED]
        version = run.version_label or run.version or "unknown version"
        if of:
            shares.append(
                Shares(key=run.run_id, at=run.at, when=moment_in_zone(run.at), version=version, of=of, counts=counted)
            )
    return shares


def shares_of_corrections(found: CorrectionDaysItem) -> list[Shares]:
    """Return the shares of each day with a correction."""
    by_day: dict[datetime, Counter[str]] = {}
    for row in found.days:
        day = datetime.combine(row.day, time(), UTC)
        by_day.setdefault(day, Counter())[row.failure_category] += row.corrections
    return [
        Shares(key=f"{day:%Y-%m-%d}", at=day, when=f"{day:%Y-%m-%d} UTC", version="", of=one.total(), counts=one)
        for day, one in by_day.items()
    ]


def severities_of(found: SetFailuresItem) -> list[str]:
    """Return the severities of the cases, the worst first."""
    known = {row.severity for run in found.runs for row in run.counts}
    return sorted(known, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


ORDER = ("critical", "high", "medium", "low")


def categories_of(shares: Sequence[Shares]) -> list[str]:
    """Return the failure categories, the most frequent first."""
    totals: Counter[str] = Counter()
    for row in shares:
        totals.update(row.counts)
    return [name for name, count in totals.most_common() if count]


def steps_of(shares: Sequence[Shares], axis: TimeAxis) -> list[ShareStep]:
    """Return the stacked steps of the shares. A step ends at the next run of its version; across a change of version
    it ends a little earlier, so that the versions are apart.
    """
    places = [axis.place(row.at) for row in shares]
    ends = held(places, axis.end)
    categories = categories_of(shares)
    steps = []
    for index, row in enumerate(shares):
        changes = index + 1 < len(shares) and shares[index + 1].version != row.version
        width = ends[index] - places[index]
        end = ends[index] - GAP * min(width, axis.end - axis.begin) if changes else ends[index]
        low = 0.0
        for name in (name for name in categories if row.counts.get(name)):
            high = low + row.counts[name] / row.of
            steps.append(
                ShareStep(
                    key=row.key,
                    when=row.when,
                    version=row.version,
                    failure_category=name,
                    count=row.counts[name],
                    of=row.of,
                    begin=places[index],
                    end=end,
                    low=low,
                    high=high,
                )
            )
            low = high
    return steps


GAP = 0.15  # share of a step that stays empty before a change of version


def trend_of_category(name: str, shares: Sequence[Shares], axis: TimeAxis) -> list[TrendPoint]:
    """Return the share of one failure category in each run with its 95 % interval."""
    changed = (int(before.version != after.version) for before, after in pairwise(shares))
    segments = list(accumulate(changed, initial=0))[: len(shares)]
    points = []
    for row, segment in zip(shares, segments, strict=True):
        count = row.counts.get(name, 0)
        interval = rate_interval(count, row.of)
        assert interval is not None, "shares have at least one case"
        points.append(
            TrendPoint(
                at=row.at,
                order=axis.place(row.at),
                series=row.version,
                line=str(segment),
                label=row.version,
                value=count / row.of,
                low=interval.low,
                high=interval.high,
                cases=f"{count} of {row.of}",
            )
        )
    return points
