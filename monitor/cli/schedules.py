"""`driftd schedule`: when replays run, what they would cost, and pauses."""

import itertools
import time
from datetime import UTC, datetime, timedelta
from typing import Annotated

import typer

from monitor.api.schema import (
    ListPage,
    OccasionItem,
    PauseSchedule,
    PreviewItem,
    ResumeSchedule,
    RunItem,
    RunSchedule,
    ScheduleItem,
    ScheduleRunsItem,
)
from monitor.cli.connection.client import Api
from monitor.cli.connection.session import Session, with_replaying_session, with_session, with_writing_session
from monitor.cli.terminal.output import NOTHING, note, print_line, print_table, text
from monitor.clock import SystemClock
from monitor.config.calendar.schedules import seconds_of
from monitor.errors import UsageError

app = typer.Typer(help="Schedules: list, preview, pause, resume, run.", no_args_is_help=True, add_completion=False)
POLL_S = 1.0
_OVER = {"complete", "partial", "failed", "cancelled", "waiting"}

ScheduleName = Annotated[str, typer.Argument(metavar="NAME", help="Name of a schedule.")]


@app.command("list")
@with_session
def list_schedules(session: Session) -> None:
    """List the schedules with their next time, in their time zone and UTC, and the pause in effect."""
    found = session.api.get("/api/v1/schedules", ListPage[ScheduleItem])
    session.show(found, lambda: _print_list(found.items))


@app.command("preview")
@with_session
def preview(
    session: Session,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Name of a schedule. Default: all.")] = None,
    days: Annotated[int, typer.Option(min=1, max=31, help="Length of the preview in days.")] = 7,
) -> None:
    """Show what would run in the next days, with the forecast of calls, tokens and cost. Nothing is planned.

    Blackouts and pauses are shown. Budgets, which may end a run earlier, are not part of the forecast.
    """
    found = session.api.get("/api/v1/schedules/preview", PreviewItem, days=days, schedule=name)
    session.show(found, lambda: _print_preview(found, days))


@app.command("pause")
@with_writing_session
def pause(
    session: Session,
    name: ScheduleName,
    until: Annotated[
        datetime | None,
        typer.Option(formats=["%Y-%m-%dT%H:%M:%S%z", "%Y-%m-%dT%H:%M%z"], help="End of the pause. Default: none."),
    ] = None,
    duration: Annotated[
        str | None, typer.Option("--for", metavar="DURATION", help="Length of the pause, for example 90m, 12h or 3d.")
    ] = None,
    reason: Annotated[str | None, typer.Option("--reason", help="Reason, stored with the pause.")] = None,
) -> None:
    """Pause a schedule. Times inside the pause are not caught up, and they raise no alert."""
    order = PauseSchedule(until=_end(until, duration), reason=reason)
    found = session.api.post(f"/api/v1/schedules/{name}/pause", order, ScheduleItem)
    session.show(found, lambda: print_line(f"schedule {found.name} is {_state(found)}; {_next(found)}"))


@app.command("resume")
@with_writing_session
def resume(session: Session, name: ScheduleName) -> None:
    """End the pause of a schedule."""
    found = session.api.post(f"/api/v1/schedules/{name}/resume", ResumeSchedule(), ScheduleItem)
    session.show(found, lambda: print_line(f"schedule {found.name} is {_state(found)}; {_next(found)}"))


@app.command("run")
@with_replaying_session
def run(
    session: Session,
    name: ScheduleName,
    wait: Annotated[
        bool, typer.Option("--wait", help="Wait for the runs; exit code 1 when one of them failed.")
    ] = False,
) -> None:
    """Start the runs of a schedule now, also during a pause or a blackout. The plan of the schedule does not change.

    Without a daemon the runs end before the command does. Exit code 1 when no set can run.
    """
    started = session.api.post(f"/api/v1/schedules/{name}/run", RunSchedule(), ScheduleRunsItem)
    if wait or session.api.app is not None:
        started = started.model_copy(update={"runs": [_finished(session.api, each) for each in started.runs]})
        session.api.settle()
    session.show(started, lambda: _print_runs(started))
    if any(each.state in {"failed", "cancelled", "waiting"} for each in started.runs):
        raise typer.Exit(1)


def _end(until: datetime | None, duration: str | None) -> datetime | None:
    if until is not None and duration is not None:
        raise UsageError("give --until or --for, not both")
    if duration is None:
        return None if until is None else until.astimezone(UTC)
    try:
        return SystemClock().now() + timedelta(seconds=seconds_of(duration))
    except ValueError as error:
        raise UsageError(f"--for: {error}") from None


def _finished(api: Api, run: RunItem) -> RunItem:
    """Wait until the run has ended or waits for its target."""
    for _ in itertools.count():
        if run.state in _OVER:
            break
        time.sleep(POLL_S)
        run = api.get(f"/api/v1/runs/{run.id}", RunItem)
    return run


def _print_list(items: list[ScheduleItem]) -> None:
    columns = ("schedule", "when", "time zone", "blackouts", "state", "deployment", "next", "next (UTC)")
    rows = [
        (item.name, _when(item), item.timezone, _blackouts(item), _state(item), each.deployment, each.local, each.at)
        for item in items
        for each in item.next
    ]
    print_table(columns, rows, "no schedule is configured (schedules.NAME)")


def _when(item: ScheduleItem) -> str:
    when = f"cron {item.cron}" if item.cron is not None else f"every {_duration(item.every_s or 0.0)}"
    return when if not item.jitter_s else f"{when}, jitter {item.jitter_s:.0f} s"


def _duration(seconds: float) -> str:
    """Format an interval: `6h`, `90m`."""
    return f"{seconds / 3600:g}h" if seconds % 3600 == 0 else f"{seconds / 60:g}m"


def _blackouts(item: ScheduleItem) -> str | None:
    return f"{item.in_blackout} in {', '.join(window.name for window in item.blackouts)}" if item.blackouts else None


def _state(item: ScheduleItem) -> str:
    if item.pause is None:
        return "active"
    until = f" until {text(item.pause.until)}" if item.pause.until is not None else ""
    why = f": {item.pause.reason}" if item.pause.reason is not None else ""
    return f"paused{until} by {item.pause.paused_by}{why}"


def _next(item: ScheduleItem) -> str:
    following = min((each for each in item.next if each.at is not None), key=lambda each: text(each.at), default=None)
    if following is None:
        return "it has no next time"
    return f"next at {following.local} {item.timezone} ({text(following.at)})"


def _print_preview(found: PreviewItem, days: int) -> None:
    columns = ("schedule", "deployment", "local time", "time zone", "UTC", "state", "calls", "tokens", "cost")
    rows = [
        (
            one.schedule,
            one.deployment,
            one.local,
            one.timezone,
            f"{one.at:%Y-%m-%d %H:%M}",
            _what(one),
            *((one.calls, one.tokens, _usd(one.usd)) if one.state in {"planned", "postponed"} else ("", "", "")),
        )
        for one in found.occasions
    ]
    print_table(columns, rows, f"no schedule runs in the next {days} days")
    for each in found.forecasts:
        if each.refused is not None:
            note(f"{each.set_name} on {each.deployment} does not run: {each.refused}")
    tokens = "unknown" if found.tokens is None else f"{found.tokens:,}"
    cost = _usd(found.usd) or "unknown"
    print_line(f"{found.replays} replays in {days} days: {found.calls:,} calls, {tokens} tokens, cost {cost}")


def _what(one: OccasionItem) -> str:
    match one.state:
        case "postponed":
            return f"postponed from {one.nominal_at:%H:%M} UTC by blackout {one.window}"
        case "merged":
            return f"merged with the next one, by blackout {one.window}"
        case "skipped":
            return f"skipped by blackout {one.window}"
        case "paused":
            return f"paused by {one.paused_by}"
        case _:
            return one.state


def _usd(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f} USD"


def _print_runs(started: ScheduleRunsItem) -> None:
    columns = ("run", "deployment", "set", "state", "verdict")
    rows = [(each.id, each.deployment, each.set_name, each.state, each.verdict or NOTHING) for each in started.runs]
    print_table(columns, rows, "no run")
    for each in started.skipped:
        note(f"{each.set_name} on {each.deployment} does not run: {each.reason}")
