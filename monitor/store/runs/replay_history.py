"""The history of the replays of a set against a deployment, for the alert about failed or missing replays."""

from dataclasses import dataclass
from datetime import datetime

from monitor.domain.finding import Verdict
from monitor.domain.replay_health import EndedRun, OpenRun, ReplayState
from monitor.domain.run import Run, RunState, Trigger
from monitor.store.engine.json_columns import from_json
from monitor.store.engine.transaction import Row, Tx
from monitor.store.runs import runs
from monitor.store.sets import revisions as evalsets

MAX_RUNS = 60  # nights; an older start of a failure is reported as the oldest of these
DURATIONS = 10  # newest complete runs that show the usual duration
CRASH_LIMIT = 2  # crashes on one run
_BY_HAND = {Trigger.MANUAL.value, Trigger.AA.value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """The first and the newest instant of a schedule that driftd handled, and when it handled the newest."""

    first: datetime
    last: datetime
    handled_at: datetime


def activity(tx: Tx) -> tuple[object, ...]:
    """Return a value that differs after the state of any replay may have changed."""
    row = tx.one("replay_activity")
    return () if row is None else tuple(row.values())


def ended(tx: Tx, deployment: str, set_name: str, *, min_cases: int, now: datetime) -> tuple[EndedRun, ...]:
    """Return the newest runs that ended, the newest first."""
    rows = tx.query("ended_runs", deployment=deployment, set_name=set_name, now=now, limit=MAX_RUNS)
    return tuple(_ended(row, min_cases) for row in rows)


def open_run(tx: Tx, deployment: str, set_name: str, handled_at: datetime | None) -> OpenRun | None:
    """Return the planned, running or waiting run of the deployment and set."""
    run = runs.open_pair(tx, deployment, set_name)
    if run is None:
        return None
    by_schedule = run.trigger is Trigger.SCHEDULED and handled_at is not None
    due_since = max(run.planned_at, handled_at) if by_schedule and handled_at else run.planned_at
    return OpenRun(
        id=run.id, due_since=due_since, why=_why_open(run), started_at=run.started_at, waits=run.retry_at is not None
    )


def is_busy(tx: Tx, deployment: str) -> bool:
    """Return whether a run of the deployment is running and does not wait for its target."""
    return tx.one("running_run_of_deployment", deployment=deployment) is not None


def handled(tx: Tx, schedule: str, deployment: str, now: datetime) -> Handled | None:
    """Return what driftd handled of the schedule; None for a new schedule."""
    row = tx.one("handled_instants", schedule=schedule, deployment=deployment, now=now)
    return None if row is None or row["first"] is None else Handled(**row)


def first_filled_at(tx: Tx, set_name: str) -> datetime | None:
    """Return when the set got its first cases; None when it has none now."""
    current = evalsets.current(tx, set_name)
    if current is None or current.cases == 0:
        return None
    row = tx.one("first_filled_at", name=set_name)
    return row["first_filled_at"] if row else None


def emptied_at(tx: Tx, set_name: str) -> datetime | None:
    """Return when the last case of the set was removed; None when it never had one."""
    current = evalsets.current(tx, set_name)
    return None if current is None else current.created_at


def _ended(row: Row, min_cases: int) -> EndedRun:
    failed = row["state"] == RunState.FAILED.value
    return EndedRun(
        id=row["id"],
        planned_at=row["planned_at"],
        state=ReplayState.FAILED if failed else _state(row, min_cases),
        by_hand=row["trigger"] in _BY_HAND,
        crashed=failed and row["crashes"] >= CRASH_LIMIT,
        why=(row["error"] if failed else row["reason"]) or "no error recorded",
        partial=_partial(row),
    )


def _partial(row: Row) -> str | None:
    """Return which limit of the budget ended the run, and after how many cases; None when no limit ended it."""
    if row["state"] != RunState.COMPLETE.value or row["stopped_by"] is None:
        return None
    return f"the {row['stopped_by']} budget ended it after {row['cases_attempted']} of {row['cases']} cases"


def durations_s(tx: Tx, deployment: str, set_name: str) -> tuple[float, ...]:
    """Return the durations of the newest complete runs of the set against the deployment, in seconds."""
    rows = tx.query("durations_of_runs", deployment=deployment, set_name=set_name, limit=DURATIONS)
    return tuple(row["seconds"] for row in rows)


def _state(row: Row, min_cases: int) -> ReplayState | None:
    """Return the state of a run that did not fail. A first night, or a night with a new judge, is good."""
    if row["state"] == RunState.CANCELLED.value or row["verdict"] is None:
        return None
    if row["verdict"] != Verdict.INSUFFICIENT.value:
        return ReplayState.GOOD
    if row["no_night"]:
        return ReplayState.INSUFFICIENT
    if row["no_baseline"]:
        return ReplayState.GOOD
    pairs = 0 if row["comparison"] is None else from_json(row["comparison"])["n"]
    return ReplayState.TOO_FEW_CASES if pairs < min_cases else ReplayState.GOOD


def _why_open(run: Run) -> str:
    if run.retry_at is not None:
        return f"waits for its target until {run.retry_at:%Y-%m-%d %H:%M} UTC ({run.error})"
    if run.started_at is not None:
        return f"is running since {run.started_at:%Y-%m-%d %H:%M} UTC"
    return "is planned and waits for its turn"
