"""Schedules, their pauses and their preview as items of the API."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeVar, cast
from zoneinfo import ZoneInfo

from monitor.api.schema import (
    NextRunItem,
    OccasionItem,
    PauseItem,
    PreviewItem,
    ScheduleItem,
    SetForecastItem,
    WindowItem,
)
from monitor.domain.calendar.pauses import Pause
from monitor.domain.calendar.windows import WEEKDAYS, Window
from monitor.domain.policy import SchedulePolicy
from monitor.schedules.due import next_instant
from monitor.schedules.occasions import Occasion

N = TypeVar("N", int, float)
PAUSES = 20  # the newest that an item has


def schedule(policy: SchedulePolicy, pauses: Sequence[Pause], now: datetime) -> ScheduleItem:
    """Return a schedule with its pauses and the next instant of each deployment."""
    newest = [pause_item(pause) for pause in reversed(pauses)][:PAUSES]
    in_effect = next((pause for pause in pauses if pause.contains(now)), None)
    return ScheduleItem(
        name=policy.name,
        timezone=policy.timezone,
        cron=policy.cron,
        every_s=policy.every_s,
        anchor=policy.anchor if policy.every_s is not None else None,
        jitter_s=policy.jitter_s,
        blackouts=[_window(window) for window in policy.blackouts],
        in_blackout="postpone" if policy.postpone else "skip",
        catch_up_s=policy.catch_up_s,
        deployments=list(policy.deployments),
        pause=None if in_effect is None else pause_item(in_effect),
        pauses=newest,
        next=[_next(policy, name, pauses, now) for name in policy.deployments],
    )


def pause_item(pause: Pause) -> PauseItem:
    """Return a pause."""
    return PauseItem(
        paused_at=pause.paused_at,
        paused_by=pause.paused_by,
        until=pause.ends_at,
        reason=pause.reason,
        resumed_at=pause.resumed_at,
        resumed_by=pause.resumed_by,
    )


def occasion(
    policy: SchedulePolicy, deployment: str, one: Occasion, forecasts: Sequence[SetForecastItem]
) -> OccasionItem:
    """Return an occasion with the totals of its sets: nothing for an occasion that does not run."""
    runs = forecasts if one.runs else ()
    return OccasionItem(
        schedule=policy.name,
        deployment=deployment,
        timezone=policy.timezone,
        nominal_at=one.nominal,
        at=one.at,
        local=_local(one.at, policy.timezone),
        state=one.state.value,
        window=one.window,
        paused_by=None if one.pause is None else one.pause.paused_by,
        calls=sum(each.calls for each in runs),
        tokens=_total(each.tokens for each in runs),
        usd=_total(each.usd for each in runs),
    )


def preview(
    since: datetime,
    until: datetime,
    occasions: Sequence[OccasionItem],
    forecasts: Mapping[str, Sequence[SetForecastItem]],
) -> PreviewItem:
    """Return the occasions with their totals. `forecasts` has those of each set by deployment."""
    running = [one for one in occasions if one.state in {"planned", "postponed"}]
    return PreviewItem(
        since=since,
        until=until,
        occasions=list(occasions),
        forecasts=[each for found in forecasts.values() for each in found],
        replays=sum(each.calls > 0 for one in running for each in forecasts[one.deployment]),
        calls=sum(one.calls for one in running),
        tokens=_total(one.tokens for one in running),
        usd=_total(one.usd for one in running),
    )


def _total(values: Iterable[N | None]) -> N | None:
    """Return the sum; None when one of the values is unknown, and 0 without values."""
    known = list(values)
    return None if None in known else cast("N", sum(value for value in known if value is not None))


def _next(policy: SchedulePolicy, deployment: str, pauses: Sequence[Pause], now: datetime) -> NextRunItem:
    at = next_instant(policy, now, deployment=deployment, pauses=pauses)
    return NextRunItem(deployment=deployment, at=at, local=None if at is None else _local(at, policy.timezone))


def _window(window: Window) -> WindowItem:
    return WindowItem(
        name=window.name,
        timezone=window.timezone,
        days=[day for day in WEEKDAYS if day in window.days],
        start=f"{window.start:%H:%M}",
        end=f"{window.end:%H:%M}",
    )


def _local(at: datetime, timezone: str) -> str:
    return f"{at.astimezone(ZoneInfo(timezone)):%Y-%m-%d %H:%M}"
