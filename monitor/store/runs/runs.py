"""Runs: their plan, their states, and the queries that schedule the next step."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import datetime
from typing import Any

from monitor.domain.evalset import SetKind
from monitor.domain.future_instant import FutureInstant
from monitor.domain.run import Run, RunLook, RunState, Trigger
from monitor.domain.version import Change
from monitor.errors import NotFound
from monitor.store.engine.append import row_of
from monitor.store.engine.json_columns import from_json, to_json
from monitor.store.engine.pagination import Page, PageQuery, fetch_page
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.engine.transaction import Row, Tx


def insert(tx: Tx, run: Run) -> None:
    tx.insert("run", table_of(TABLES["run"], [row_of_run(run)]))


def row_of_run(run: Run) -> Row:
    """Return a run as a row of the table `run`."""
    row = row_of(run) | {name: _json_or_none(getattr(run, name)) for name in ("manifest", "forecast")}
    return row | {"first_look": None if run.first_look is None else look_to_json(run.first_look)}


def due(tx: Tx, now: datetime) -> list[Run]:
    """Return the next run of each deployment: an interrupted run first, then the oldest plan."""
    return [to_run(row) for row in tx.query("due_runs", now=now)]


def set_running(tx: Tx, run_id: str, at: datetime) -> None:
    """Mark a run as running. A resumed run keeps its first start."""
    _changed(tx.execute("start_run", id=run_id, at=at), run_id)


def finish(  # noqa: PLR0917 - the columns that finishing a run writes
    tx: Tx,
    run_id: str,
    state: RunState,
    version: str | None,
    at: datetime,
    manifest: Mapping[str, Any] | None,
    error: str | None,
    *,
    stopped_by: str | None = None,
    cases_attempted: int | None = None,
) -> None:
    """Store the result of a run.

    `manifest` is None when the run ended before it had one. `stopped_by` and `cases_attempted` are None unless a limit
    of the budget ended the run.
    """
    changed = tx.execute(
        "finish_run",
        id=run_id,
        state=state.value,
        version=version,
        at=at,
        manifest=_json_or_none(manifest),
        error=error,
        stopped_by=stopped_by,
        cases_attempted=cases_attempted,
    )
    _changed(changed, run_id)


def postpone(tx: Tx, run_id: str, until: datetime, why: str) -> None:
    """Postpone a run whose target does not answer. It stays open, keeps its outcomes, and is due again at `until`."""
    _changed(tx.execute("postpone_run", id=run_id, until=until, why=why), run_id)


def count_crash(tx: Tx, run_id: str) -> int:
    """Count a crash of a loop on the run. Return its crashes since the last successful step, 0 for a removed run."""
    tx.execute("count_crash_of_run", id=run_id)
    run = get(tx, run_id)
    return 0 if run is None else run.crashes


def fail_crashed(tx: Tx, run_id: str, at: datetime, why: str) -> None:
    """Fail a run on which a loop crashed repeatedly. Its outcomes stay."""
    _changed(tx.execute("fail_crashed_run", id=run_id, at=at, error=why), run_id)


def resume(tx: Tx, run_id: str) -> None:
    """Make a run that waits for its target due immediately."""
    _changed(tx.execute("resume_run", id=run_id), run_id)


def cancel(tx: Tx, run_id: str, at: datetime, why: str) -> None:
    """End an open run without a verdict. Its outcomes stay."""
    _changed(tx.execute("cancel_run", id=run_id, at=at, why=why), run_id)


def is_open(tx: Tx, run_id: str) -> bool:
    """Return whether the run is planned or running: no person and no erasure has ended it."""
    found = get(tx, run_id)
    return found is not None and found.state in (RunState.PLANNED, RunState.RUNNING)


def set_forecast(tx: Tx, run_id: str, forecast: Mapping[str, Any]) -> None:
    """Store the forecast of the run."""
    _changed(tx.execute("set_run_forecast", id=run_id, forecast=to_json(forecast)), run_id)


def set_first_look(tx: Tx, run_id: str, look: RunLook) -> None:
    """Store the first look at the run. A look that is stored already stays."""
    tx.execute("set_first_look_of_run", id=run_id, first_look=look_to_json(look))


def set_change(tx: Tx, run_id: str, change_id: str | None) -> None:
    """Set the change that the run evaluates; None for no change."""
    _changed(tx.execute("set_change_of_run", id=run_id, change_id=change_id), run_id)


def get(tx: Tx, run_id: str) -> Run | None:
    row = tx.one("run_by_id", id=run_id)
    return to_run(row) if row else None


def page(tx: Tx, q: PageQuery) -> Page[Run]:
    return fetch_page(tx, "page_runs", q, to_run, at="planned_at")


def of_set(tx: Tx, deployment: str, set_name: str) -> list[Run]:
    """Return the complete runs of the set against the deployment, the oldest first."""
    return [to_run(row) for row in tx.query("runs_of_set", deployment=deployment, set_name=set_name)]


def for_change(tx: Tx, change: Change) -> dict[str, Run]:
    """Return the newest run of each set that evaluates the change, by set: its own, or else a later one."""
    rows = tx.query("runs_for_change", deployment=change.deployment, change_id=change.id, noted_at=change.noted_at)
    found: dict[str, Run] = {}
    for row in rows:
        found.setdefault(row["set_name"], to_run(row))
    return found


def uncompared(tx: Tx) -> list[Run]:
    """Return finished runs without a finding, the oldest first."""
    return [to_run(row) for row in tx.query("uncompared_runs")]


def imported_sets(tx: Tx, deployment: str) -> list[str]:
    """Return the sets that the deployment has imported runs of, by name."""
    return [row["set_name"] for row in tx.query("imported_sets", deployment=deployment)]


def imported_deployments(tx: Tx) -> list[str]:
    """Return the deployments with imported runs, by name."""
    return [row["deployment"] for row in tx.query("imported_deployments")]


def outdated_imports(tx: Tx, now: datetime) -> list[Run]:
    """Return imported runs that were judged before an earlier run of their set was, the oldest first."""
    return [to_run(row) for row in tx.query("outdated_imports", now=now)]


def is_newest(tx: Tx, run: Run, now: datetime) -> bool:
    """Return whether no complete run of the set ended after this one. A run of the future does not count."""
    place = {"deployment": run.deployment, "set_name": run.set_name, "at": run.finished_at, "run_id": run.id}
    return tx.one("later_run_of_set", **place, now=now) is None


def active_trace_prefixes(tx: Tx, since: datetime) -> dict[str, str]:
    """Return run ids by trace prefix, of runs that are open or finished after `since`."""
    return {row["trace_prefix"]: row["id"] for row in tx.query("active_trace_prefixes", since=since)}


def record_instant(tx: Tx, schedule: str, deployment: str, instant: datetime, at: datetime) -> bool:
    """Record that an instant of the schedule was handled; False when it was recorded already.

    The write lock makes check and insert atomic.
    """
    if tx.one("planned_instant", schedule=schedule, deployment=deployment, instant=instant):
        return False
    row = {"schedule": schedule, "deployment": deployment, "instant": instant, "handled_at": at}
    tx.insert("planned_instant", table_of(TABLES["planned_instant"], [row]))
    return True


def last_instant(tx: Tx, schedule: str, deployment: str, until: datetime) -> datetime | None:
    """Return the latest handled instant up to `until`. A later one was recorded while the clock was ahead."""
    row = tx.one("last_instant", schedule=schedule, deployment=deployment, until=until)
    return row["instant"] if row else None


def future_instants(tx: Tx, after: datetime) -> list[FutureInstant]:
    """Return the latest instant after `after` of each schedule and deployment."""
    return [FutureInstant(**row) for row in tx.query("future_instants", after=after)]


def next_repeat_offset(tx: Tx, deployment: str, set_name: str) -> int:
    """Return the offset that selects the repeated cases of the next run of the set."""
    row = tx.one("next_repeat_offset", deployment=deployment, set_name=set_name)
    return row["repeat_offset"] if row else 0


def open_pair(tx: Tx, deployment: str, set_name: str) -> Run | None:
    """Return the planned or running run of the set against the deployment, the oldest plan if there are several."""
    row = tx.one("open_run_of_pair", deployment=deployment, set_name=set_name)
    return to_run(row) if row else None


def _json_or_none(document: Mapping[str, Any] | None) -> str | None:
    return None if document is None else to_json(document)


def _changed(rows: int, run_id: str) -> None:
    if not rows:
        raise NotFound(f"run {run_id!r} is unknown; GET /api/v1/runs lists them")


def to_run(row: Row) -> Run:
    return Run(
        **row
        | {
            "set_kind": SetKind(row["set_kind"]),
            "trigger": Trigger(row["trigger"]),
            "state": RunState(row["state"]),
            "manifest": None if row["manifest"] is None else from_json(row["manifest"]),
            "forecast": None if row["forecast"] is None else from_json(row["forecast"]),
            "first_look": None if row["first_look"] is None else _look_from_json(row["first_look"]),
        }
    )


def look_to_json(look: RunLook) -> str:
    """Return the stored form of a first look."""
    return to_json({**asdict(look), "at": look.at.isoformat()})


def _look_from_json(text: str) -> RunLook:
    stored = from_json(text)
    return RunLook(**{**stored, "at": datetime.fromisoformat(stored["at"])})
