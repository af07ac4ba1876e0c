"""The cost of replays: recorded before and after each request, and summed when a run ends."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta

from monitor.store.engine.json_columns import from_json
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx
from replay.run.budget import Spent

KEPT = timedelta(days=62)  # the longest budget period is a month


def record(tx: Tx, run_id: str, deployment: str, at: datetime, *, started: int, ended: Spent) -> None:
    """Record the number of requests that start, and the cost of those that ended. A negative number takes back requests
    that were recorded and not sent.
    """
    row = {"run_id": run_id, "deployment": deployment, "at": at, "requests": started, "open": started - ended.requests}
    _insert(tx, [row | {"tokens": ended.tokens, "usd": ended.usd}])


def of_run(tx: Tx, run_id: str) -> Spent:
    """Return what the run has spent over all its starts."""
    return of_runs(tx, [run_id]).get(run_id, Spent())


def of_runs(tx: Tx, run_ids: Sequence[str]) -> Mapping[str, Spent]:
    """Return what each run has spent. A run without a request has no entry."""
    return {row.pop("run_id"): Spent(**row) for row in tx.query("spent_by_runs", run_ids=list(run_ids))}


def since(tx: Tx, begin: datetime) -> Mapping[str, Spent]:
    """Return what the replays of each deployment have spent since `begin`; none without a request."""
    return {row.pop("deployment"): Spent(**row) for row in tx.query("spent_since", since=begin)}


def most_expensive_reply(tx: Tx, deployment: str, begin: datetime) -> Spent:
    """Return the cost of the most expensive reply to the replays of the deployment since `begin`."""
    row = tx.one("most_expensive_reply", deployment=deployment, since=begin) or {}
    return Spent(tokens=row.get("tokens") or 0, usd=row.get("usd") or 0.0)


def charge_lost(tx: Tx, at: datetime, *, of_run: str | None = None, except_for: Collection[str] = frozenset()) -> int:
    """Charge the requests of killed processes, and return their number. Call this while no replay is running, except
    for the runs `except_for`; with `of_run` only the requests of this run are charged.

    Their result is unknown, so each costs as much as the most expensive reply of its run, or its forecast before a
    reply.
    """
    rows = tx.query("open_spend")
    found = [row for row in rows if row["run_id"] not in except_for and of_run in (None, row["run_id"])]
    _insert(tx, [_lost(row, at) for row in found])
    return sum(row["open"] for row in found)


def fold(tx: Tx, run_id: str) -> None:
    """Merge the records of a finished run into one row for each day."""
    rows = tx.query("spend_of_run", run_id=run_id)
    days: defaultdict[date, list[Row]] = defaultdict(list)
    for row in rows:
        days[row["at"].astimezone(UTC).date()].append(row)
    if len(days) < len(rows):
        tx.execute("remove_spend", run_id=run_id)
        _insert(tx, [_sum(day) for day in days.values()])


def expire(tx: Tx, now: datetime) -> int:
    """Remove the records that no budget and no run needs."""
    return tx.execute("expire_spend", before=now - KEPT)


def _lost(row: Row, at: datetime) -> Row:
    each = Spent(tokens=row["tokens"] or 0, usd=row["usd"] or 0.0)
    forecast = None if row["forecast"] is None else from_json(row["forecast"])
    if forecast and not each.tokens:
        calls = max(forecast["requests"], 1)
        each = Spent(tokens=round((forecast["tokens"] or 0) / calls), usd=(forecast["usd"] or 0.0) / calls)
    lost = row["open"]
    return {
        "run_id": row["run_id"],
        "deployment": row["deployment"],
        "at": at,
        "requests": 0,
        "open": -lost,
        "tokens": lost * each.tokens,
        "usd": lost * each.usd,
    }


def _sum(rows: Collection[Row]) -> Row:
    last = max(rows, key=lambda row: row["at"])
    return last | {name: sum(row[name] for row in rows) for name in ("requests", "open", "tokens", "usd")}


def _insert(tx: Tx, rows: Sequence[Row]) -> None:
    if rows:
        tx.insert("replay_spend", table_of(TABLES["replay_spend"], rows))
