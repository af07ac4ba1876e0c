"""Counts of production calls of several deployments: settled days from their stored rows, other days from the calls."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Final

from monitor.store.aggregates.day_rollups import Window, gaps
from monitor.store.aggregates.settled_days import NEVER, midnight
from monitor.store.engine.transaction import Tx

LATEST: Final = datetime(9000, 1, 1, tzinfo=UTC)


def totals(tx: Tx, deployments: Sequence[str]) -> dict[str, int]:
    """Return the number of all stored production calls of each deployment."""
    found, asked = dict.fromkeys(deployments, 0), {"deployments": list(deployments)}
    days, windows = _split(tx, deployments, NEVER, LATEST)
    rows = tx.query("settled_totals", **asked, days=days)
    for begin, end in windows:
        rows += tx.query("calls_in", **asked, since=begin, until=end)
    for row in rows:
        found[row["deployment"]] += row["calls"]
    return found


def by_day(tx: Tx, deployments: Sequence[str], since: date, until: date) -> dict[str, dict[date, int]]:
    """Return the number of production calls of each UTC day of [since, until) with calls, by deployment."""
    found: dict[str, dict[date, int]] = {name: {} for name in deployments}
    asked = {"deployments": list(deployments)}
    days, windows = _split(tx, deployments, midnight(since), midnight(until))
    rows = tx.query("settled_calls", **asked, days=days)
    for begin, end in windows:
        rows += tx.query("calls_by_day", **asked, since=begin, until=end)
    for row in rows:
        found[row["deployment"]][row["day"]] = row["calls"]
    return found


def corrections_by_day(tx: Tx, deployments: Sequence[str], since: date, until: date) -> dict[str, dict[date, int]]:
    """Return the number of corrections that arrived on each UTC day of [since, until), by deployment."""
    found: dict[str, dict[date, int]] = {name: {} for name in deployments}
    window = {"since": midnight(since), "until": midnight(until)}
    for row in tx.query("corrections_by_day", deployments=list(deployments), **window):
        found[row["deployment"]][row["day"]] = row["corrections"]
    return found


def by_version(tx: Tx, deployment: str, since: datetime) -> dict[str, tuple[int, datetime]]:
    """Return the number of production calls that each version answered since then, and the time of its newest call."""
    days, windows = _split(tx, [deployment], since, LATEST)
    rows = tx.query("settled_versions", deployment=deployment, days=days)
    counted = {row["version"]: (row["calls"], row["last_at"]) for row in rows}
    for begin, end in windows:
        for row in tx.query("served_since", deployment=deployment, since=begin, until=end):
            calls, last_at = counted.get(row["version"], (0, NEVER))
            counted[row["version"]] = (calls + row["calls"], max(last_at, row["last_at"]))
    return counted


def _split(tx: Tx, deployments: Sequence[str], since: datetime, until: datetime) -> tuple[list[date], list[Window]]:
    """Return the days of [since, until) that are settled for all the deployments, and the windows between them."""
    first = since.astimezone(UTC).date()
    if midnight(first) != since:
        first += timedelta(days=1)
    rows = tx.query("covered_days", deployments=list(deployments), since=first, until=until.date())
    days = [row["day"] for row in rows]
    return days, list(gaps(days, since, until))
