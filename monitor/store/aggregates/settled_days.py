"""The counts of past UTC days, stored once, so that no page counts every call again.

The rows of a settled day are what `production_days`, `production_corrections` and the other direct statements count
from its calls and their feedback. Each statement that changes the calls of a past day, or their corrections, removes
the day in the same transaction. Readers then count it from the calls until the rollup loop stores it again, so a
reader never sees a difference.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import Final

from monitor.domain.production import ProductionPolicy
from monitor.store.engine.append import row_of
from monitor.store.engine.schema import DAY_PRICES, DAYS, IDS, table_of
from monitor.store.engine.transaction import Tx

WHITE_SPACE: Final = " \t\r\n"  # DuckDB's trim removes spaces only
NEVER: Final = datetime.min.replace(tzinfo=UTC)
DAY: Final = timedelta(days=1)
REACH: Final = 100  # days after an ending in which a call of its conversation is stored as its continuation


@dataclass(frozen=True, slots=True, kw_only=True)
class DayPrices:
    """What the costs of a deployment are computed with. Days settled with other `prices` are settled again."""

    deployment: str
    cost_of_calls: bool = False
    input_usd_per_mtok: float | None = None
    output_usd_per_mtok: float | None = None

    @property
    def prices(self) -> str:
        return "calls" if self.cost_of_calls else f"{self.input_usd_per_mtok}/{self.output_usd_per_mtok}"


def prices_of(deployment: str, policy: ProductionPolicy | None) -> DayPrices:
    """Return the prices of a deployment; none without a policy."""
    if policy is None:
        return DayPrices(deployment=deployment)
    return DayPrices(
        deployment=deployment,
        cost_of_calls=policy.cost_of_calls,
        input_usd_per_mtok=policy.input_usd_per_mtok,
        output_usd_per_mtok=policy.output_usd_per_mtok,
    )


def midnight(day: date) -> datetime:
    """Return the start of a UTC day."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)


def settle(tx: Tx, day: date, deployments: Sequence[DayPrices]) -> None:
    """Store the counts of one past day of these deployments, in place of older ones."""
    _remove(tx, [(one.deployment, day) for one in deployments], tx.execute)
    batch = table_of(DAY_PRICES, [row_of(one) | {"prices": one.prices} for one in deployments])
    window = {"day": day, "since": midnight(day), "until": midnight(day) + DAY}
    tx.execute("settle_day_endings", batch=batch, **window, space=WHITE_SPACE)
    tx.execute("settle_day_calls", batch=batch, **window)
    tx.execute("settle_day_corrections", batch=batch, **window)
    tx.execute("settle_day_latencies", batch=batch, **window)
    tx.execute("settle_days", batch=batch, **window)
    reach = {"reach_since": day - DAY * REACH, "reach_until": midnight(day) + DAY * (REACH + 1)}
    tx.execute("settle_day_continuations", batch=batch, **window, **reach)
    if tx.kept is not None and tx.kept.settled_until is not None:
        tx.kept.settled_until = max(tx.kept.settled_until, midnight(day) + DAY)


def settled_until(tx: Tx) -> datetime:
    """Return a time after the end of every settled day. The write cursor keeps it, because each commit needs it."""
    if tx.kept is not None and tx.kept.settled_until is not None:
        return tx.kept.settled_until
    [row] = tx.query("newest_settled_day")
    until = NEVER if row["day"] is None else midnight(row["day"]) + DAY
    if tx.kept is not None:
        tx.kept.settled_until = until
    return until


def unsettle(tx: Tx, deployments: Sequence[str], times: Sequence[datetime]) -> None:
    """Remove the stored counts of the days of calls that change: one deployment and start time for each call."""
    if not times or min(times) >= (before := settled_until(tx)):
        return
    calls = zip(deployments, times, strict=True)
    unsettle_days(tx, {(name, at.astimezone(UTC).date()) for name, at in calls if at < before})


def unsettle_calls(tx: Tx, ids: Iterable[str], received_since: datetime | None = None) -> None:
    """Remove the stored counts of the days of these calls. Without `received_since`, all past calls are searched."""
    rows = [{"id": id_} for id_ in dict.fromkeys(ids)]
    if not rows or (before := settled_until(tx)) == NEVER:
        return
    found = tx.query("days_of_calls", batch=table_of(IDS, rows), before=before, since=received_since)
    unsettle_days(tx, [(row["deployment"], row["day"]) for row in found])


def unsettle_after_removal(tx: Tx) -> None:
    """Remove the stored counts of the days that lost a call or a correction."""
    if (before := settled_until(tx)) != NEVER:
        found = tx.query("settled_days_with_other_rows", before=before)
        unsettle_days(tx, [(row["deployment"], row["day"]) for row in found])


def unsettle_days(tx: Tx, days: Iterable[tuple[str, date]]) -> None:
    _remove(tx, days, tx.defer)


def _remove(tx: Tx, days: Iterable[tuple[str, date]], run: Callable[..., object]) -> None:
    """Remove the stored counts of the settled days among `days`, with `tx.execute` or `tx.defer`."""
    rows = [{"deployment": deployment, "day": day} for deployment, day in days]
    found = tx.query("settled_days_in", batch=table_of(DAYS, rows)) if rows else []
    if found:
        batch = table_of(DAYS, found)
        run("unsettle_settled_day", batch=batch)
        run("unsettle_day_traffic", batch=batch)
        run("unsettle_day_correction", batch=batch)
        run("unsettle_day_latency", batch=batch)
        run("unsettle_day_ending", batch=batch)
        run("unsettle_day_continuation", batch=batch)


def first_days(tx: Tx, since: datetime, until: datetime) -> dict[str, date]:
    """Return the first day with a call in [since, until), by deployment."""
    rows = tx.query("traffic_extent", since=since, until=until)
    return {row["deployment"]: row["first_at"].date() for row in rows}


def newest_missing(tx: Tx, deployments: Sequence[DayPrices], first: date, last: date) -> list[tuple[str, date]]:
    """Return the newest day of [first, last] that is not settled with these prices, with each deployment that lacks
    it.
    """
    batch = table_of(DAY_PRICES, [row_of(one) | {"prices": one.prices} for one in deployments])
    return [(row["deployment"], row["day"]) for row in tx.query("missing_days", batch=batch, first=first, last=last)]
