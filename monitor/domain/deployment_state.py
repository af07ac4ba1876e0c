"""The state of a deployment: one word, a sentence, and since when."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from monitor.domain.alert import Alert, AlertState
from monitor.domain.finding import Verdict


class DeploymentState(StrEnum):
    """The states, worst first. `ok` means that every set with cases has a recent verdict and nothing was found."""

    REGRESSION = "regression"
    PENDING = "pending"  # a regression whose alert does not fire yet
    FAILED = "failed"  # the newest replay of a set failed
    ATTENTION = "attention"  # another alert is open: a missed replay, a stopped source, a watched metric
    STALE = "stale"  # a set has had no verdict for two planned replays
    INSUFFICIENT = "insufficient"  # the newest replay of a set has too few scored cases
    NO_DATA = "no_data"  # a set has no verdict yet
    IMPROVEMENT = "improvement"
    OK = "ok"


NEVER_STALE = frozenset({Verdict.FAILED, Verdict.INSUFFICIENT})  # these are states of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class SetVerdict:
    """The newest verdict of a set; `verdict` is None before the first. `stale_at` is when it is too old."""

    set_name: str
    cases: int
    verdict: Verdict | None = None
    at: datetime | None = None
    reason: str = ""
    stale_at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class StateFound:
    """The state with its sentence. `since` is None when the state has no beginning. `alert` is the open alert that
    caused it.
    """

    state: DeploymentState
    reason: str
    since: datetime | None = None
    alert: Alert | None = None


def state_of(sets: Sequence[SetVerdict], alerts: Sequence[Alert], now: datetime) -> StateFound:
    """Return the state of a deployment from the newest verdicts of its sets and its open alerts. Of several reasons for
    the same state, an alert comes first, and then the order of `sets`.
    """
    names = [one.set_name for one in sets]
    found = [*(_of_alert(alert) for alert in alerts if alert.severity != "info"), *_of_sets(sets, now)]
    order = list(DeploymentState)
    return min(found, key=lambda one: (order.index(one.state), *_place(one.alert, names)))


def _place(alert: Alert | None, names: Sequence[str]) -> tuple[bool, int]:
    """Return the place of a reason: with an alert before without one, sets in their order before everything else."""
    name = None if alert is None else alert.set_name
    return alert is None, names.index(name) if name in names else len(names)


def is_about_quality(alert: Alert) -> bool:
    """Return whether the alert is about a deciding verdict or about production, not about a watched metric or a source
    of records.
    """
    return alert.source is None and alert.metric is None


def _of_alert(alert: Alert) -> StateFound:
    state = DeploymentState.ATTENTION
    if is_about_quality(alert):
        state = DeploymentState.REGRESSION if alert.state is AlertState.FIRING else DeploymentState.PENDING
    return StateFound(state=state, reason=alert.summary, since=alert.fired_at or alert.pending_since, alert=alert)


def _of_sets(sets: Sequence[SetVerdict], now: datetime) -> list[StateFound]:
    """Return the state of each set that has cases, or one state when no set can have a verdict."""
    measured = [one for one in sets if one.cases or one.verdict is not None]
    if not measured:
        why = "no eval set has cases yet" if sets else "no eval set is configured"
        return [StateFound(state=DeploymentState.NO_DATA, reason=why)]
    found = [_of_set(one, now) for one in measured]
    if all(one.state is DeploymentState.OK for one in found):
        return [StateFound(state=DeploymentState.OK, reason=_nothing_found(sets, measured))]
    return found


def _of_set(one: SetVerdict, now: datetime) -> StateFound:
    if one.verdict is None:
        return StateFound(state=DeploymentState.NO_DATA, reason=f"{one.set_name} has no verdict yet")
    about = f"{one.set_name}: {one.reason}"
    if one.verdict is Verdict.REGRESSION:
        return StateFound(state=DeploymentState.REGRESSION, reason=about, since=one.at)
    if one.verdict in NEVER_STALE:
        return StateFound(state=DeploymentState(one.verdict.value), reason=about, since=one.at)
    if one.stale_at is not None and one.stale_at <= now:
        why = f"{one.set_name} has had no verdict since {one.at:%Y-%m-%d %H:%M} UTC"
        return StateFound(state=DeploymentState.STALE, reason=why, since=one.stale_at)
    if one.verdict is Verdict.IMPROVEMENT:
        return StateFound(state=DeploymentState.IMPROVEMENT, reason=about, since=one.at)
    return StateFound(state=DeploymentState.OK, reason=about)


def _nothing_found(sets: Sequence[SetVerdict], measured: Sequence[SetVerdict]) -> str:
    names = [one.set_name for one in measured]
    empty = [one.set_name for one in sets if one.set_name not in names]
    gap = f"; no cases yet: {', '.join(empty)}" if empty else ""
    return f"no regression found in {' and '.join(names) if len(names) < 3 else ', '.join(names)}{gap}"
