"""The sentences of a row, as plain text."""

from datetime import datetime

from dashboards.formatting import ago, count, cut, percent, points
from dashboards.times import moment
from monitor.api.schema.overview import (
    OverviewAlertsItem,
    OverviewChangeItem,
    OverviewItem,
    OverviewNextItem,
    OverviewReplayItem,
    OverviewSetItem,
    OverviewTrafficItem,
)

MOST_REASON = 260  # characters of the reason in a row; the page of the deployment has all


def state_text(item: OverviewItem, now: datetime) -> str:
    """Return since when the state lasts, and why."""
    since = "" if item.since is None else f"since {moment(item.since)} ({ago(item.since, now)}): "
    return f"{since}{cut(item.reason, MOST_REASON)}"


def change_text(change: OverviewChangeItem | None, now: datetime) -> str:
    """Return the newest change of the deployment, for example `model change gpt-4 → gpt-5, observed 3 hours ago`."""
    if change is None:
        return ""
    step = f"{change.from_label} → {change.to_label}"
    if change.from_label is None:
        step = f"first version {change.to_label}"
    elif change.from_label == change.to_label:
        step = f"{change.to_label}, fingerprints shifted"
    return f"{change.kind} change {step}, {change.how} {moment(change.at)} ({ago(change.at, now)})"


def verdict_text(item: OverviewSetItem) -> str:
    """Return the verdict with its effect and interval. An accepted regression is neither healthy nor recovered."""
    if item.verdict is None:
        return "no cases yet" if not item.cases and not item.nights else "no verdict yet"
    word = item.verdict if item.acceptance is None else f"accepted by {item.acceptance.by}"
    if item.effect is None or item.effect_low is None or item.effect_high is None:
        return word
    where = "" if item.channel in {None, "overall"} else f" in {item.channel}"
    return f"{word} {points(item.effect)} points{where} ({points(item.effect_low)} to {points(item.effect_high)})"


def age_text(item: OverviewSetItem, now: datetime) -> str:
    """Return the age of the judged run; empty without one. A verdict that is too old is stale."""
    if item.measured_at is None:
        return ""
    stale = "stale, " if item.stale_at is not None and item.stale_at <= now else ""
    return f"{stale}{'imported, ' if item.imported else ''}measured {ago(item.measured_at, now)}"


def rate_text(item: OverviewSetItem) -> str:
    """Return the pass rate of the newest scored night. The verdict of a dynamic set is about one of its parts."""
    rate = next((percent(night.rate) for night in reversed(item.nights) if night.rate is not None), None)
    return "no data" if rate is None else f"{rate} of all cases" if item.kind == "dynamic" else rate


def traffic_text(traffic: OverviewTrafficItem) -> str:
    """Return the corrections of the last seven days as a share of the calls."""
    if not traffic.calls:
        return "no call in 7 days" if not traffic.corrections else f"{traffic.corrections:,}, no call in 7 days"
    return f"{traffic.corrections:,} of {count(traffic.calls, 'call')} ({percent(traffic.corrections / traffic.calls)})"


def replay_text(replay: OverviewReplayItem, now: datetime) -> str:
    """Return the progress of the open replay."""
    if replay.state == "planned":
        return f"{replay.set_name} is due and starts next"
    began = "" if replay.started_at is None else f", started {ago(replay.started_at, now)}"
    verb = "waits for its target" if replay.state == "waiting" else "is replayed"
    return f"{replay.set_name} {verb}: {replay.done:,} of {replay.total:,}{began}"


def next_text(item: OverviewNextItem, now: datetime) -> str:
    """Return the next planned replay."""
    paused = f"paused: {', '.join(item.paused)}" if item.paused else ""
    if item.at is None:
        return paused or "none planned"
    return f"{moment(item.at)} ({until(item.at, now)}){'; ' + paused if paused else ''}"


def until(at: datetime, now: datetime) -> str:
    """Return the time until `at`: `in 5 hours`."""
    left = ago(now, at)
    return "now" if left in {"just now", "in the future"} else f"in {left.removesuffix(' ago')}"


def alerts_text(alerts: OverviewAlertsItem) -> str:
    """Return the open alerts by severity: `1 critical, 2 warning`; `none` without an open alert."""
    counts = {"critical": alerts.critical, "warning": alerts.warning, "info": alerts.info}
    text = ", ".join(f"{n} {name}" for name, n in counts.items() if n)
    taken = f" ({alerts.acknowledged} acknowledged)" if alerts.acknowledged else ""
    return f"{text}{taken}" if text else "none"
