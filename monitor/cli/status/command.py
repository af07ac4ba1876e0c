"""`driftd status`: one row per deployment, the worst state first."""

from datetime import UTC, datetime
from typing import Annotated

import typer

from monitor.api.schema import ListPage
from monitor.api.schema.overview import OverviewItem, OverviewSetItem
from monitor.cli.connection.session import Session, with_session
from monitor.cli.terminal.output import percent, points, print_line, print_table

COLUMNS = ("deployment", "state", "since", "frozen", "dynamic", "alerts", "next replay", "reason")
MOST = 500  # deployments
LONGEST = 100  # characters of the reason; --json has all


@with_session
def status(
    session: Session,
    deployment: Annotated[str | None, typer.Argument(help="Only this deployment. Default: all.")] = None,
    exit_code: Annotated[
        bool, typer.Option("--exit-code", help="Exit with code 1 unless the state of every deployment is ok.")
    ] = False,
) -> None:
    """Show the state of each deployment: verdicts, open alerts, the next replay."""
    named = {"deployment": deployment} if deployment is not None else {}
    found = session.api.get("/api/v1/overview", ListPage[OverviewItem], limit=MOST, **named)
    session.show(found, lambda: _print(found.items))
    if exit_code and any(item.state not in {"ok", "improvement"} for item in found.items):
        raise typer.Exit(1)


def _print(items: list[OverviewItem]) -> None:
    print_table(COLUMNS, [_row(item) for item in items], "no deployment is configured")
    for item in items:
        if item.replay is not None:
            progress = f"{item.replay.done} of {item.replay.total}"
            print_line(f"{item.deployment}: replay of {item.replay.set_name}, {progress}")
    known = {one.set_name: one.measures for item in items for one in item.sets if one.measures is not None}
    for name, measures in known.items():
        print_line(f"{name} measures: {measures}")


def _row(item: OverviewItem) -> tuple[object, ...]:
    counts = {"critical": item.alerts.critical, "warning": item.alerts.warning, "info": item.alerts.info}
    return (
        item.deployment,
        item.state.replace("_", " "),
        _minute(item.since),
        _sets(item, "frozen"),
        _sets(item, "dynamic"),
        ", ".join(f"{n} {name}" for name, n in counts.items() if n) or None,
        _minute(item.next_replay.at) or ("paused" if item.next_replay.paused else None),
        item.reason if len(item.reason) <= LONGEST else f"{item.reason[: LONGEST - 1]}…",
    )


def _sets(item: OverviewItem, kind: str) -> str | None:
    return "; ".join(_set(one) for one in item.sets if one.kind == kind) or None


def _set(one: OverviewSetItem) -> str:
    """Return `84.0 %, -0.3 (-2.1 to +1.5)`: the newest pass rate, and the change with its interval."""
    rate = next((percent(night.rate) for night in reversed(one.nights) if night.rate is not None), None)
    if rate is None:
        return "no data"
    if one.effect is None or one.effect_low is None or one.effect_high is None:
        return rate
    return f"{rate}, {points(one.effect)} ({points(one.effect_low)} to {points(one.effect_high)})"


def _minute(at: datetime | None) -> str | None:
    return None if at is None else f"{at.astimezone(UTC):%Y-%m-%d %H:%MZ}"
