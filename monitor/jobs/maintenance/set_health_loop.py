"""Measures the health of sets after runs and once a day, so that no request waits for it."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from itertools import cycle, groupby, islice
from typing import Final

from monitor.clock import Clock
from monitor.domain.evalset import Revision
from monitor.domain.health_day import HealthDay, RunDay
from monitor.domain.policy import Policy
from monitor.jobs.after_writes import AfterWrites
from monitor.refresh import set_health
from monitor.refresh.set_health import Measured
from monitor.store.engine.database import Store, Tx
from monitor.store.sets import revisions, sealed_sets, stored_health
from monitor.store.sets.stored_health import StoredHealth
from replay.errors import SealError
from replay.evalsets.sealing import Sealer
from replay.types import Case

log = logging.getLogger(__name__)
MOST_DAYS: Final = 90  # days without figures that are measured, for example after an upgrade
GRACE: Final = timedelta(minutes=10)  # after the end of a day, for results that are stored a little later
DAYS_A_STEP: Final = 10  # past days of a set that share their inputs
CHECKED_A_STEP: Final = 10  # a check reads a few thousand rows
IDLE_S: Final = 5.0
SHARE: Final = 3.0  # a pause is this many times as long as the step before it

Group = tuple[str, tuple[str, ...]]  # a set, and the deployments whose runs and traffic are read


@dataclass(frozen=True, slots=True, kw_only=True)
class _PastDays:
    """Changes of stored days: `invalid` ones, from the first until before the second, and `measured` ones."""

    invalid: tuple[date, date] | None = None
    measured: Sequence[HealthDay] = ()


class SetHealthLoop:
    """Measures a set when the inputs of its health changed and when a new day began, then past days without figures.

    It never counts as work: a request measures what is not stored.
    """

    name = "set-health"

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        sealer_of: Callable[[str], Sealer | None],
        code_version: str,
    ) -> None:
        self._store, self._policy, self._clock = store, policy, clock
        self._sealer_of, self._code_version = sealer_of, code_version
        groups: list[Group] = [(name, users) for name in policy.sets for users in set_health.groups_of(policy, name)]
        self._checked = min(len(groups), CHECKED_A_STEP)
        self._groups = cycle([(*group, AfterWrites(store, clock)) for group in groups])
        self._unreadable: set[str] = set()
        self.poll_s = IDLE_S

    def step(self) -> int:
        """Check the next sets, and measure the first one that needs it."""
        began_s = self._clock.monotonic()
        checks = islice(self._groups, self._checked)
        if any(after.run(partial(self._measure, name, users)) for name, users, after in checks):
            self.poll_s = max(0.2, SHARE * (self._clock.monotonic() - began_s))
        else:
            self.poll_s = IDLE_S
        return 0

    def _measure(self, name: str, users: Sequence[str]) -> bool:
        """Measure what is missing of the set: the current state, or else past days. False if nothing is missing."""
        now = self._clock.now().astimezone(UTC)
        with self._store.read() as tx:
            revision = revisions.current(tx, name)
            inputs = set_health.inputs_of(tx, revision, users, self._code_version, now) if revision else None
            if revision is None or inputs is None:
                return False
            stored = stored_health.newest(tx, name, users)
            if stored and stored.computed_at.date() == now.date() and set_health.is_current(stored, inputs, now):
                past = self._past_days(tx, name, users, now)
                return past is not None and self._store_past(name, users, past)
            measured = self._health(tx, revision, users, now)
            if measured is None:
                return False
            day = set_health.day_of(tx, revision, measured, _runs_of(tx, name, users, now.date()), now)
        self._store_current(name, users, set_health.to_stored(revision, measured, inputs), day)
        return True

    def _past_days(self, tx: Tx, name: str, users: Sequence[str], now: datetime) -> _PastDays | None:
        """Return what changes of the past days: those that are invalid, or the newest ones without figures."""
        known = revisions.revisions(tx, name)
        last = (now - GRACE).date() - timedelta(days=1)
        first = max(known[-1].created_at.astimezone(UTC).date(), now.date() - timedelta(days=MOST_DAYS))
        runs, stored = stored_health.run_days(tx, name, users, first), stored_health.days(tx, name, users, first)
        changed = set_health.first_changed(stored, runs, now.date())
        if changed is not None:
            return _PastDays(invalid=(changed, now.date()))
        dated = [(day, _revision_at(known, day)) for day in set_health.missing_days(stored, runs, first, last)]
        for revision, same in groupby(((day, one) for day, one in dated if one), key=lambda pair: pair[1]):
            cases, days = self._cases(tx, revision), [day for day, _ in islice(same, DAYS_A_STEP)]
            if cases is None:
                continue
            ends = [set_health.end_of(day) for day in days]
            inputs = set_health.inputs_of_days(tx, revision, cases, users, ends)
            measured = []
            for day, end in zip(days, ends, strict=True):
                found = self._exposed(tx, revision, set_health.measured_from(tx, inputs, now, until=end), end, end)
                of_day = next((one for one in runs if one.day == day), _no_runs(day))
                measured.append(set_health.day_of(tx, revision, found, of_day, end))
            return _PastDays(measured=measured)
        return None

    def _health(self, tx: Tx, revision: Revision, users: Sequence[str], now: datetime) -> Measured | None:
        """Return the health with the exposure; None when the key of a sealed set is missing or wrong."""
        cases = self._cases(tx, revision)
        if cases is None:
            return None
        return self._exposed(tx, revision, set_health.measure(tx, revision, cases, users, now), now, None)

    def _exposed(
        self, tx: Tx, revision: Revision, measured: Measured, at: datetime, until: datetime | None
    ) -> Measured:
        exposure = set_health.exposure(tx, revision, self._policy, at, until)
        return replace(measured, health=replace(measured.health, exposure=exposure))

    def _cases(self, tx: Tx, revision: Revision) -> list[Case] | None:
        sealer = self._sealer_of(revision.name)
        if revision.sealed and sealer is None:
            return None
        try:
            return sealed_sets.read_cases(tx, revision.name, revision.revision, sealer)
        except SealError as error:
            if revision.name not in self._unreadable:
                log.warning("eval set %r: its health is not measured: %s", revision.name, error)
                self._unreadable.add(revision.name)
            return None

    def _store_current(self, name: str, users: Sequence[str], found: StoredHealth, day: HealthDay) -> None:
        with self._store.write() as tx:
            current = revisions.current(tx, name)
            if current is None or current.revision != found.revision:
                return  # cases of the set were erased meanwhile
            stored_health.put(tx, name, users, found)
            stored_health.put_day(tx, name, users, day)

    def _store_past(self, name: str, users: Sequence[str], past: _PastDays) -> bool:
        with self._store.write() as tx:
            if past.invalid is not None:
                stored_health.remove_days(tx, name, users, *past.invalid)
            for one in past.measured:
                stored_health.put_day(tx, name, users, one)
        return True


def _revision_at(known: Sequence[Revision], day: date) -> Revision | None:
    """Return the revision at the end of a day; the newest of `known` is the first."""
    end = set_health.end_of(day)
    return next((one for one in known if one.created_at < end), None)


def _runs_of(tx: Tx, name: str, users: Sequence[str], day: date) -> RunDay:
    return next((one for one in stored_health.run_days(tx, name, users, day) if one.day == day), _no_runs(day))


def _no_runs(day: date) -> RunDay:
    return RunDay(day=day, runs=0, unsettled=0, digest="0")
