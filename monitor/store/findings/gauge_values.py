"""Values of gauges of sets and of production. The queries stay fast for any number of stored calls."""

from datetime import datetime

from monitor.store.engine.transaction import Tx

Pair = tuple[str, str]  # deployment, set


def newest_complete_runs(tx: Tx, until: datetime) -> dict[Pair, str]:
    """Return the id of the newest complete run of each pair."""
    rows = tx.query("newest_complete_runs", until=until)
    return {(row["deployment"], row["set_name"]): row["run_id"] for row in rows}


def newest_verdicts(tx: Tx) -> dict[Pair, datetime]:
    """Return when each pair was last judged; insufficient and failed nights are no verdict."""
    return {(row["deployment"], row["set_name"]): row["at"] for row in tx.query("newest_verdicts")}


def pass_rates(tx: Tx, run_ids: list[str]) -> dict[str, float]:
    """Return the share of scored cases that passed, of each run that has any."""
    scored: dict[str, int] = {}
    passed: dict[str, int] = {}
    for row in tx.query("run_counts", run_ids=run_ids):
        scored[row["run_id"]] = scored.get(row["run_id"], 0) + row["scored"]
        passed[row["run_id"]] = passed.get(row["run_id"], 0) + row["passed"]
    return {run_id: passed[run_id] / count for run_id, count in scored.items() if count}


def correction_rates(tx: Tx, since: datetime, until: datetime) -> dict[str, float]:
    """Return corrections for each production call in [since, until), of each deployment with calls."""
    rows = tx.query("correction_rates", since=since, until=until)
    return {row["deployment"]: row["corrections"] / row["calls"] for row in rows}


def last_successes(tx: Tx) -> dict[Pair, datetime]:
    """Return when the newest complete run of each schedule and deployment ended."""
    return {(row["schedule"], row["deployment"]): row["finished_at"] for row in tx.query("last_successes")}


def sentinels_judged(tx: Tx) -> dict[Pair, datetime]:
    """Return when the active sentinels of each pair were last judged; before the first time, when one was added."""
    return {(row["deployment"], row["set_name"]): row["at"] for row in tx.query("sentinels_judged")}


def last_backup(tx: Tx) -> datetime | None:
    """Return when the newest backup of the whole database was read completely."""
    row = tx.one("last_backup")
    return None if row is None else row["at"]
