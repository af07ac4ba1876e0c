"""Reads the counts of days: settled days from their stored rows, the days between them from the calls."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from monitor.store.aggregates.settled_days import NEVER, DayPrices, midnight
from monitor.store.engine.transaction import Row, Tx

ONE_DAY = timedelta(days=1)
Window = tuple[datetime, datetime]


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionDay:
    """The counts of one version on one UTC day; `version` is None for calls without one. `classified` calls are known
    to refuse or not. `counted` calls have tokens, `spent` calls a cost, `timed` calls a latency.
    """

    day: date
    version: str | None
    calls: int
    failed: int
    classified: int
    worded: int
    refused: int
    corrected: int
    timed: int
    latency_ms: float | None
    latency_p95_ms: float | None
    counted: int
    input_tokens: int
    output_tokens: int
    spent: int
    spent_usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledDay:
    """A settled day with the prices behind its costs. `price_table` is the newest one of its calls."""

    day: date
    prices: str
    price_table: str | None
    priced_at: datetime | None
    price_tables: int


def settled_days(tx: Tx, deployment: str, since: date, until: date) -> list[SettledDay]:
    """Return the settled days of [since, until), the oldest first."""
    rows = tx.query("settled_days_of", deployment=deployment, since=since, until=until)
    return [SettledDay(**row) for row in rows]


def gaps(days: Iterable[date], since: datetime, until: datetime) -> Iterator[Window]:
    """Yield the parts of [since, until) that these days, in order, do not cover."""
    begin = since
    for day in days:
        if midnight(day) > begin:
            yield begin, midnight(day)
        begin = max(begin, midnight(day) + ONE_DAY)
    if begin < until:
        yield begin, until


def production_days(tx: Tx, deployment: str, since: date, until: date, prices: DayPrices) -> list[Row]:
    """Return the counts of each UTC day of [since, until) with calls, the oldest first."""
    settled = [one for one in settled_days(tx, deployment, since, until) if one.prices == prices.prices]
    newest = _newest_table(tx, deployment, settled, since, until) if prices.cost_of_calls else None
    usable = {one.day: one for one in settled if not prices.cost_of_calls or _has_costs_of(one, newest)}
    stored = tx.query("settled_production_days", deployment=deployment, since=since, until=until)
    found = [_with_cost_of(row, usable[row["day"]], newest, prices) for row in stored if row["day"] in usable]
    for begin, end in gaps(usable, midnight(since), midnight(until)):
        found += tx.query(
            "production_days",
            deployment=deployment,
            since=begin,
            until=end,
            price_table=newest,
            cost_of_calls=prices.cost_of_calls,
            input_usd_per_mtok=prices.input_usd_per_mtok,
            output_usd_per_mtok=prices.output_usd_per_mtok,
        )
    return sorted(found, key=lambda row: row["day"])


def corrections(tx: Tx, deployment: str, since: date, until: date, late_days: int) -> Mapping[date, int]:
    """Return the number of answered calls of each day that were corrected within the late days."""
    window = {"deployment": deployment, "late_days": late_days}
    settled = [one.day for one in settled_days(tx, deployment, since, until)]
    rows = tx.query("settled_corrections", **window, since=since, until=until)
    for begin, end in gaps(settled, midnight(since), midnight(until)):
        rows += tx.query("production_corrections", **window, since=begin, until=end)
    return {row["day"]: row["corrected"] for row in rows}


def version_days(tx: Tx, deployment: str, since: date, until: date, late_days: int) -> list[VersionDay]:
    """Return the counts of each UTC day of [since, until) by version, the oldest first."""
    window = {"deployment": deployment, "late_days": late_days}
    settled = [one.day for one in settled_days(tx, deployment, since, until)]
    rows = tx.query("settled_version_days", **window, since=since, until=until)
    for begin, end in gaps(settled, midnight(since), midnight(until)):
        rows += tx.query("version_days", **window, since=begin, until=end)
    return [VersionDay(**row) for row in sorted(rows, key=lambda row: (row["day"], row["version"] or ""))]


def latency_bins(tx: Tx, deployment: str, since: date, until: date) -> dict[str | None, Counter[int]]:
    """Return the number of complete calls in [since, until) by version and bin of latency."""
    settled = [one.day for one in settled_days(tx, deployment, since, until)]
    rows = tx.query("settled_latencies", deployment=deployment, since=since, until=until)
    for begin, end in gaps(settled, midnight(since), midnight(until)):
        rows += tx.query("latencies", deployment=deployment, since=begin, until=end)
    found: dict[str | None, Counter[int]] = {}
    for row in rows:
        found.setdefault(row["version"], Counter())[row["bin"]] += row["calls"]
    return found


def _newest_table(tx: Tx, deployment: str, settled: Sequence[SettledDay], since: date, until: date) -> str | None:
    """Return the price table of the newest priced call in [since, until)."""
    found = [(one.priced_at, one.price_table) for one in settled if one.priced_at is not None]
    for begin, end in gaps([one.day for one in settled], midnight(since), midnight(until)):
        [row] = tx.query("newest_price_table", deployment=deployment, since=begin, until=end)
        found.append((row["priced_at"] or NEVER, row["price_table"]))
    return max(found, default=(NEVER, None), key=lambda one: one[0])[1]


def _has_costs_of(settled: SettledDay, price_table: str | None) -> bool:
    """Return whether the stored rows of the day have its costs with this price table: those with its newest table, or
    without any.
    """
    return settled.price_table in {None, price_table} or settled.price_tables == 1


def _with_cost_of(row: Row, settled: SettledDay, price_table: str | None, prices: DayPrices) -> Row:
    emitted, emitted_usd = row.pop("emitted"), row.pop("emitted_usd")
    if prices.cost_of_calls and settled.price_table != price_table:
        return row | {"priced": emitted, "cost_usd": emitted_usd}
    return row
