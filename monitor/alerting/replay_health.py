"""Decides whether the replays of a set need a person: they failed, have too few scores, or did not run."""

from collections.abc import Sequence
from datetime import datetime
from itertools import groupby

from monitor.domain.policy import ReplayAlertPolicy
from monitor.domain.replay_health import EndedRun, Expected, OpenRun, ReplayHealth, Replays, ReplayState, replays_of

_ACTION = {
    ReplayState.FAILED: "try `driftd check --call-targets`, then `driftd replay run {deployment} {set}`",
    ReplayState.INSUFFICIENT: "see its errors with `driftd replay show {run}`",
    ReplayState.TOO_FEW_CASES: "add cases with `driftd sets import`, or accept some of `driftd candidates list`",
}
_VERB = {
    ReplayState.FAILED: "fail",
    ReplayState.INSUFFICIENT: "are insufficient",
    ReplayState.TOO_FEW_CASES: "have too few cases",
}


def judge_replays(replays: Replays, policy: ReplayAlertPolicy, now: datetime) -> ReplayHealth | None:
    """Return the state of the replays, or None if it is not known. None does not change an open alert.

    A missed instant has priority over the newest night that ended. A run that a person started opens no alert, unless
    driftd crashed during it; a good run that a person started resolves the alert. The parts of a split run count as one
    night, with the state of the best part.
    """
    if replays.empty_since is not None and replays.dynamic:
        return _empty(replays, replays.empty_since, policy, now)
    missed = _first_missed(replays.expected, now, policy)
    if missed is not None:
        return _missed(replays, missed, policy, now)
    nights = [_best(night) for night in _nights(replays.ended)]
    if not nights or nights[0].state is None:
        return None
    if nights[0].state is ReplayState.GOOD:
        return _good(nights[0])
    return _bad(replays, nights)


def _nights(ended: Sequence[EndedRun]) -> list[list[EndedRun]]:
    """Return the runs that count, grouped by their planned instant, newest first."""
    counted = [run for run in ended if not run.by_hand or run.crashed or run.state is ReplayState.GOOD]
    return [list(group) for _, group in groupby(counted, key=lambda run: run.planned_at)]


def _best(night: Sequence[EndedRun]) -> EndedRun:
    return next((run for run in night if run.state is ReplayState.GOOD), night[0])


def _good(run: EndedRun) -> ReplayHealth:
    return ReplayHealth(state=ReplayState.GOOD, reason=f"run {run.id} completed and was judged")


def _bad(replays: Replays, nights: Sequence[EndedRun]) -> ReplayHealth:
    newest = nights[0]
    assert newest.state is not None, "the caller has checked it"
    if newest.crashed:
        return ReplayHealth(state=newest.state, reason=f"run {newest.id} was {newest.why}")
    good = next((n for n, night in enumerate(nights) if night.state is ReplayState.GOOD), len(nights))
    since = nights[good - 1].planned_at
    action = _ACTION[newest.state].format(deployment=replays.deployment, set=replays.set_name, run=newest.id)
    what = f"{replays_of(replays.deployment, replays.set_name)} {_VERB[newest.state]} since {_when(since)}"
    return ReplayHealth(
        state=newest.state, reason=f"{what}{_schedules(replays)}: {newest.why} (run {newest.id}); {action}"
    )


def _empty(replays: Replays, since: datetime, policy: ReplayAlertPolicy, now: datetime) -> ReplayHealth | None:
    """Return the state of an empty dynamic set. Corrections fill it, so it may be empty for `empty_s`."""
    if (now - since).total_seconds() < policy.empty_s:
        return None
    what = (
        f"{replays_of(replays.deployment, replays.set_name)} did not happen since {_when(since)}{_schedules(replays)}"
    )
    why = "the dynamic set has no cases yet; accept some of `driftd candidates list`, or set auto_accept"
    return ReplayHealth(state=ReplayState.TOO_FEW_CASES, reason=f"{what}: {why}")


def _first_missed(expected: Sequence[Expected], now: datetime, policy: ReplayAlertPolicy) -> Expected | None:
    late = [one for one in expected if one.missed and (now - one.missed).total_seconds() > policy.grace_s]
    return min(late, key=lambda one: one.missed or now, default=None)


def _missed(replays: Replays, missed: Expected, policy: ReplayAlertPolicy, now: datetime) -> ReplayHealth | None:
    """Return None while the run that replaces the missed one is within its grace period."""
    work = replays.open
    if replays.empty_since is None and (
        missed.due or (work is not None and (now - work.due_since).total_seconds() <= policy.grace_s)
    ):
        return None
    assert missed.missed is not None, "the caller has checked it"
    what = f"{replays_of(replays.deployment, replays.set_name)} did not happen since {_when(missed.missed)}"
    reason = f"{what} (schedule {missed.schedule}): {_why_missed(replays, missed, work)}"
    return ReplayHealth(state=ReplayState.MISSED, reason=reason)


def _why_missed(replays: Replays, missed: Expected, work: OpenRun | None) -> str:
    if replays.empty_since is not None:
        return f"the set has no cases; import them with `driftd sets import {replays.set_name}`"
    if work is not None:
        return f"run {work.id} {work.why}; see `driftd replay show {work.id}`"
    again = f"run `driftd replay run {replays.deployment} {replays.set_name}`"
    if not missed.handled:
        return f"driftd was not running at that time, and the instant was too old to catch up; {again}"
    return f"no run of this instant ended; {again}"


def _schedules(replays: Replays) -> str:
    names = ", ".join(one.schedule for one in replays.expected)
    return f" (schedule {names})" if names else ""


def _when(at: datetime) -> str:
    return f"{at:%Y-%m-%d %H:%M} UTC"
