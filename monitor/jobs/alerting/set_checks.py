"""Reads the health of every set of every deployment: leaks, exposure, saturation and staleness."""

import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime, timedelta

from monitor.alerting.checks.condition import Condition
from monitor.domain.evalset import Revision, SetKind
from monitor.domain.policy import DeploymentPolicy, Policy, SetPolicy
from monitor.health.exposure import Exposure, exposure_of
from monitor.health.saturation import saturation_of
from monitor.health.staleness import Staleness, staleness_of
from monitor.jobs.alerting import set_conditions as sets
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import conditions
from monitor.store.sets import access_log, revisions, sealed_sets, set_health
from replay.errors import SealError
from replay.evalsets.sealing import Sealer
from replay.types import Case

log = logging.getLogger(__name__)
FIRST_AFTER = timedelta(minutes=10)  # a command or a restart must not wait for it
EVERY = timedelta(hours=6)
TRAFFIC = timedelta(days=30)
SEARCHED = timedelta(days=2)  # for canaries: longer than EVERY and a downtime of a day
MOST_SEARCHED = 200_000
MOST_CALLS = 2_000  # of production: enough to estimate a share within two points


class SetCheck:
    """Computes the conditions every six hours, and returns them unchanged in between."""

    rules = sets.RULES
    every_s = 60.0
    follows_runs = False

    def __init__(self, store: Store, policy: Policy, sealer_of: Callable[[str], Sealer | None]) -> None:
        self._store, self._policy, self._sealer_of = store, policy, sealer_of
        self._next: datetime | None = None
        self._known: list[Condition] = []

    def conditions(self, now: datetime) -> Iterator[Condition]:
        if self._next is None:
            self._known = [one for state in self._states(now, deep=False) for one in sets.set_conditions(state)]
            self._next = now + FIRST_AFTER
        elif now >= self._next:
            self._known = [one for state in self._states(now, deep=True) for one in sets.set_conditions(state)]
            self._next = now + EVERY
        yield from self._known

    def _states(self, now: datetime, *, deep: bool) -> Iterator[sets.SetState]:
        for deployment in self._policy.deployments.values():
            for name in deployment.sets:
                with self._store.read() as tx:
                    revision = revisions.current(tx, name)
                    if revision is None:
                        continue
                    shallow = sets.SetState(
                        deployment=deployment.name,
                        set_name=name,
                        revision=revision.revision,
                        exposure=_exposure(tx, revision, self._policy.sets[name], now),
                    )
                    state = self._deep(tx, shallow, deployment, revision, now) if deep else shallow
                yield state

    def _deep(
        self, tx: Tx, known: sets.SetState, deployment: DeploymentPolicy, revision: Revision, now: datetime
    ) -> sets.SetState:
        users = [deployment.name]
        cases = self._cases(tx, revision)
        runs = set_health.run_scores(tx, revision.name, revision.revision, revision.cases, users)
        means, _, _ = runs.by_version()
        leak = conditions.canary_calls(tx, revision.canary, now - SEARCHED, MOST_SEARCHED) if revision.sealed else None
        return sets.SetState(
            deployment=known.deployment,
            set_name=known.set_name,
            revision=known.revision,
            exposure=known.exposure,
            leak=None if leak is None else sets.Leak(calls=leak.calls, first_at=leak.first_at),
            saturation=saturation_of([str(number) for number in range(revision.cases)], means),
            staleness=_staleness(tx, revision, cases, users, now),
        )

    def _cases(self, tx: Tx, revision: Revision) -> list[Case]:
        """Return the cases; none when the key of a sealed set is missing or wrong."""
        sealer = self._sealer_of(revision.name)
        if revision.sealed and sealer is None:
            return []
        try:
            return sealed_sets.read_cases(tx, revision.name, revision.revision, sealer)
        except SealError as error:
            log.warning("eval set %r: its staleness is unknown: %s", revision.name, error)
            return []


def _exposure(tx: Tx, revision: Revision, policy: SetPolicy, now: datetime) -> Exposure | None:
    if not revision.sealed:
        return None
    found = access_log.exposures(tx, revision.name, revision.revision, now)
    return exposure_of(found, policy.exposure_budget, access_log.RECENT.days)


def _staleness(
    tx: Tx, revision: Revision, cases: Sequence[Case], users: Sequence[str], now: datetime
) -> Staleness | None:
    """Return the distance from production; None for a dynamic set, which has only corrected questions."""
    if revision.kind is not SetKind.FROZEN or not cases:
        return None
    calls = set_health.production_inputs(tx, users, now - TRAFFIC, MOST_CALLS)
    return staleness_of(
        [case.question for case in cases],
        [call.text for call in calls],
        [case.category for case in cases],
        [call.category for call in calls],
    )
