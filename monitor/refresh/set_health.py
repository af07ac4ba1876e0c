"""Measures the health of a set from the store, now or as it was at the end of a past day."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Final

import msgspec

from monitor.domain.evalset import Revision, SetKind
from monitor.domain.health_day import HealthDay, RunDay
from monitor.domain.policy import Policy
from monitor.health.exposure import Exposure, exposure_of
from monitor.health.overfitting import Corrected, Overfitting, overfitting_of
from monitor.health.report import SetHealth, concerns
from monitor.health.saturation import label_noise_of, saturation_of, unsteady_cases
from monitor.health.staleness import staleness_of
from monitor.refresh.health_inputs import HealthInputs
from monitor.store.engine.database import Tx
from monitor.store.sets import access_log, set_health, stored_health
from monitor.store.sets.set_health import RunScores
from monitor.store.sets.stored_health import StoredHealth
from replay.types import Case

TRAFFIC_DAYS: Final = 30.0  # of production traffic in a stored measurement
MOST_CALLS: Final = 2_000  # of production: enough to estimate a share within two points
LONGEST: Final = timedelta(hours=26)  # a stored measurement is as old as this at most: a day, and time to measure again
_DOCUMENT: Final = msgspec.json.Decoder(SetHealth)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """The health of a set, the number of runs that it was computed from, and the time of the computation."""

    health: SetHealth
    runs: int
    computed_at: datetime


def users_of(policy: Policy, set_name: str) -> list[str]:
    """Return the deployments that replay the set."""
    return [name for name, deployment in policy.deployments.items() if set_name in deployment.sets]


def groups_of(policy: Policy, set_name: str) -> list[tuple[str, ...]]:
    """Return the groups of deployments for which the health of the set is stored: all that replay it, and each."""
    users = users_of(policy, set_name)
    return [tuple(users), *((name,) for name in users if len(users) > 1)]


def inputs_of(tx: Tx, revision: Revision, users: Sequence[str], code_version: str, now: datetime) -> str | None:
    """Return what identifies the inputs of a measurement; None while results of a run are not stored.

    Calls count from the 30 days before `now`. From 2,000 calls or corrections on, new ones change nothing: the
    measurement is then repeated once a day.
    """
    since = now - timedelta(days=TRAFFIC_DAYS)
    found = stored_health.inputs(tx, revision.name, users, since, MOST_CALLS)
    return None if found is None else f"{code_version} {revision.revision} {found}"


def is_current(stored: StoredHealth, inputs: str | None, now: datetime) -> bool:
    """Return whether a measurement now would have the same result."""
    return stored.inputs == inputs and abs(now - stored.computed_at) < LONGEST


def measure(
    tx: Tx,
    revision: Revision,
    cases: Sequence[Case],
    users: Sequence[str],
    now: datetime,
    *,
    days: float = TRAFFIC_DAYS,
    until: datetime | None = None,
) -> Measured:
    """Return the health of a revision without its exposure. `until` leaves out later runs and calls."""
    since = (until or now) - timedelta(days=days)
    inputs = HealthInputs(tx, revision, cases, users, first=since, last=until, most_calls=MOST_CALLS)
    return measured_from(tx, inputs, now, days=days, until=until)


def inputs_of_days(
    tx: Tx, revision: Revision, cases: Sequence[Case], users: Sequence[str], ends: Sequence[datetime]
) -> HealthInputs:
    """Return the common inputs of measurements at the ends of these days."""
    first = min(ends) - timedelta(days=TRAFFIC_DAYS)
    return HealthInputs(tx, revision, cases, users, first=first, last=max(ends), most_calls=MOST_CALLS)


def measured_from(
    tx: Tx, inputs: HealthInputs, now: datetime, *, days: float = TRAFFIC_DAYS, until: datetime | None = None
) -> Measured:
    """Return the health from these inputs, without the exposure. `until` leaves out later runs and calls."""
    cases, ids = inputs.cases, [case.id for case in inputs.cases]
    runs = inputs.runs(until)
    calls = inputs.calls((until or now) - timedelta(days=days), until)
    means, passes, counts = runs.by_version()
    health = SetHealth(
        saturation=saturation_of(ids, means),
        label_noise=label_noise_of(ids, means, unsteady_cases(passes, counts)),
        staleness=staleness_of(
            list(inputs.texts.values()),
            [call.text for call in calls],
            [case.category for case in cases],
            [call.category for call in calls],
            inputs.case_texts,
        ),
        redundancy=inputs.redundancy,
        exposure=None,
        overfitting=_overfitting(tx, runs, inputs.users) if inputs.revision.kind is SetKind.FROZEN else None,
    )
    return Measured(health=health, runs=len(runs.versions), computed_at=now)


def exposure(
    tx: Tx, revision: Revision, policy: Policy, now: datetime, until: datetime | None = None
) -> Exposure | None:
    """Return the exposure of a revision; None for a set that is not sealed. It changes with each call of a replay, so
    it is never read from a stored measurement.
    """
    if not revision.sealed:
        return None
    settings = policy.sets.get(revision.name)
    found = access_log.exposures(tx, revision.name, revision.revision, now, until)
    return exposure_of(found, settings.exposure_budget if settings else None, access_log.RECENT.days)


def to_stored(revision: Revision, measured: Measured, inputs: str) -> StoredHealth:
    health = replace(measured.health, exposure=None)
    return StoredHealth(
        revision=revision.revision,
        inputs=inputs,
        computed_at=measured.computed_at,
        runs=measured.runs,
        concerns=msgspec.json.encode(concerns(health)).decode(),
        document=msgspec.json.encode(health).decode(),
    )


def from_stored(document: str) -> SetHealth:
    """Return the health of a stored document, without the exposure."""
    return _DOCUMENT.decode(document)


def day_of(tx: Tx, revision: Revision, measured: Measured, runs: RunDay, at: datetime) -> HealthDay:
    """Return the figures of a day from a measurement with its exposure, at a time of that day or at its end."""
    health, exposed = measured.health, measured.health.exposure
    saturation, staleness = health.saturation, health.staleness
    ages = stored_health.case_ages(tx, revision.name, revision.revision, at)
    return HealthDay(
        day=runs.day,
        revision=revision.revision,
        computed_at=measured.computed_at,
        day_runs=runs.runs,
        day_digest=runs.digest,
        cases=revision.cases,
        runs=measured.runs,
        concerns=len(concerns(health)),
        versions=saturation.versions,
        judged=saturation.judged,
        saturation=saturation.share,
        calls=staleness.calls,
        distant=staleness.distant,
        distant_low=staleness.distant_low,
        distant_high=staleness.distant_high,
        uncovered=staleness.uncovered,
        redundant=health.redundancy.redundant,
        redundancy=health.redundancy.share,
        budget=exposed.budget if exposed else None,
        max_exposure=exposed.max_exposure if exposed else None,
        median_exposure=exposed.median if exposed else None,
        over_budget=len(exposed.over_budget) if exposed else None,
        revealed_cases=exposed.revealed_cases if exposed else None,
        median_age_days=ages.median_age_days,
        oldest_age_days=ages.oldest_age_days,
    )


def missing_days(stored: Sequence[HealthDay], runs: Sequence[RunDay], first: date, last: date) -> list[date]:
    """Return the days of [first, last] without figures of their end, the newest first.

    Days from a run without stored results on are left out: they are measured when its results are stored.
    """
    known = {one.day for one in stored if one.computed_at >= end_of(one.day)}
    waiting = min((one.day for one in runs if one.unsettled), default=None)
    found = [first + timedelta(days=n) for n in range((last - first).days + 1)]
    return [day for day in reversed(found) if day not in known and (waiting is None or day < waiting)]


def first_changed(stored: Sequence[HealthDay], runs: Sequence[RunDay], before: date) -> date | None:
    """Return the first stored day before `before` with a run that has other results now: its figures, and those of each
    later day, are invalid. A day that lost runs to retention keeps its figures.
    """
    now = {one.day: one for one in runs}
    return min((one.day for one in stored if one.day < before and _differs(one, now.get(one.day))), default=None)


def end_of(day: date) -> datetime:
    """Return the end of a UTC day."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(days=1)


def _differs(stored: HealthDay, runs: RunDay | None) -> bool:
    if runs is None or runs.unsettled or stored.computed_at < end_of(stored.day):
        return False
    return stored.day_runs <= runs.runs and stored.day_digest != runs.digest


def _overfitting(tx: Tx, runs: RunScores, users: Sequence[str]) -> Overfitting:
    """Compare production during the first third of the runs with production during the last third."""
    third, at = len(runs.finished_at) // 3, runs.finished_at
    if not third:
        return overfitting_of(runs.scores, Corrected(calls=0, corrected=0), Corrected(calls=0, corrected=0))
    spans = ((at[0], at[third]), (at[-third - 1], at[-1]))
    first, last = (Corrected(calls=c, corrected=k) for c, k in (set_health.corrected(tx, users, *s) for s in spans))
    return overfitting_of(runs.scores, first, last)
