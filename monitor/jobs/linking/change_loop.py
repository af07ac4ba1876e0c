"""Observes which version serves each deployment, and stores versions and changes."""

import logging

from monitor.changes.detect import detect
from monitor.changes.detected import record
from monitor.clock import Clock
from monitor.domain.clock_ahead import AHEAD
from monitor.domain.policy import DeploymentPolicy, Policy
from monitor.domain.run import new_id
from monitor.jobs.after_writes import AfterWrites
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import interactions, versions

log = logging.getLogger(__name__)
WINDOW_FACTOR = 10  # interactions compared, as a multiple of the minimum of a version
NOTED = 100  # the newest stored changes that detection compares with


class ChangeLoop:
    """Compares the newest interactions of a deployment with the known versions."""

    name = "changes"
    poll_s = 2.0

    def __init__(self, *, store: Store, policy: Policy, clock: Clock) -> None:
        self._store, self._policy, self._clock = store, policy, clock
        self._after_writes = AfterWrites(store, clock)

    def step(self) -> int:
        return self._after_writes.run(lambda: sum(map(self._detect, self._policy.deployments.values())))

    def _detect(self, deployment: DeploymentPolicy) -> int:
        limit = deployment.changes.min_interactions * WINDOW_FACTOR
        now = self._clock.now()
        with self._store.read() as tx:
            # Calls of a sender whose clock is further ahead would hide every change until then.
            window = interactions.latest_identities(tx, deployment.name, limit, now + AHEAD)
            known = versions.versions(tx, deployment.name)
            current = versions.current_version(tx, deployment.name)
            noted = versions.page_changes(tx, PageQuery(deployment=deployment.name, limit=NOTED)).items
        found = detect(window, known, current, deployment.changes, noted)
        rows = record(found, deployment=deployment.name, noted_at=now, new_id=lambda: new_id("change", now))
        if found:
            with self._store.write() as tx:
                for version in rows.versions:
                    versions.insert(tx, version)
                for change in rows.changes:
                    versions.insert_change(tx, change)
        for change in rows.changes:
            log.info("%s: %s change to version %s observed", deployment.name, change.kind, change.to_version)
        return len(found)
