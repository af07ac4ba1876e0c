"""Links feedback to the interaction it is about, and proposes cases from corrections."""

from collections.abc import Callable
from dataclasses import replace

from monitor.clock import Clock
from monitor.domain.feedback import CandidateState
from monitor.domain.ids import new_id
from monitor.domain.interaction import Interaction
from monitor.domain.policy import DeploymentPolicy, Policy
from monitor.feedback.link import choose_links
from monitor.feedback.propose import propose
from monitor.store import candidates, feedback, interactions
from monitor.store.content import join_content
from monitor.store.database import Store, Tx

BATCH = 10_000  # the newest that many unlinked signals are tried again at each step


class LinkLoop:
    """Texts to their spans, feedback to its interaction, corrections to candidates."""

    name = "link"
    poll_s = 2.0

    def __init__(
        self, *, store: Store, policy: Policy, clock: Clock, identify: Callable[[Interaction], str | None]
    ) -> None:
        self._store, self._policy, self._clock, self._identify = store, policy, clock, identify

    def step(self) -> int:
        handled = self._join() + self._link()
        return handled + sum(self._propose(deployment) for deployment in self._policy.deployments.values())

    def _join(self) -> int:
        with self._store.write() as tx:
            return join_content(tx, self._clock.now(), identify=self._identify)

    def _link(self) -> int:
        with self._store.read() as tx:
            waiting = feedback.unlinked(tx, BATCH)
            links = choose_links(interactions.find_for_link(tx, waiting)) if waiting else []
        if links:
            with self._store.write() as tx:
                feedback.set_links(tx, links)
        return len(links)

    def _propose(self, deployment: DeploymentPolicy) -> int:
        with self._store.read() as tx:
            if not feedback.corrections_without_candidate(tx, deployment.name, BATCH):
                return 0
        with self._store.write() as tx:
            return self._propose_now(tx, deployment)

    def _propose_now(self, tx: Tx, deployment: DeploymentPolicy) -> int:
        """Read and write are one transaction: of what is erased between them, no candidate may be made."""
        pairs = feedback.corrections_without_candidate(tx, deployment.name, BATCH)
        now = self._clock.now()
        auto = any(self._policy.sets[name].auto_accept for name in deployment.sets)
        proposed = [
            propose(correction, interaction, deployment.failure_categories, now=now, id=new_id("cand", now))
            for correction, interaction in pairs
        ]
        rows = [p for p in proposed if p is not None]
        if auto:
            rows = [replace(r, state=CandidateState.ACCEPTED, decided_at=now, decided_by="policy") for r in rows]
        return candidates.insert(tx, rows).accepted
