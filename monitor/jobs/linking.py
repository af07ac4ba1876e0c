"""Links feedback to the interaction it is about, and proposes cases from corrections."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from monitor.clock import Clock
from monitor.domain.feedback import CandidateState, Feedback
from monitor.domain.ids import new_id
from monitor.domain.interaction import Interaction
from monitor.domain.link import Link, LinkCandidate
from monitor.domain.policy import DeploymentPolicy, Policy
from monitor.feedback.link import choose_links
from monitor.feedback.propose import propose
from monitor.jobs.joining import Joining
from monitor.store import candidates, feedback, interactions
from monitor.store.database import Store, Tx
from monitor.store.feedback import Patience

log = logging.getLogger(__name__)
BATCH = 10_000  # signals that are looked at together
MOST = 20 * BATCH  # of one step, the newest; the others' turn comes with their next pause
USUAL = Patience()
YOUNG = timedelta(seconds=60)
RECENT = timedelta(days=1)
TWIN_GRACE = timedelta(hours=1)  # within it a second report of a call is expected


class LinkLoop:
    """Texts to their spans, feedback to its interaction, corrections to candidates."""

    name = "link"
    poll_s = 2.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        identify: Callable[[Interaction], str | None],
        patience: Patience = USUAL,
    ) -> None:
        self._store, self._policy, self._clock, self._identify = store, policy, clock, identify
        self._joining = Joining(store, clock, identify)
        self._patience = patience
        self._linked_at: datetime | None = None  # when signals were last looked at; None: not since the start
        self._given_up: int | None = None

    def step(self) -> int:
        handled = self._join() + self._link()
        return handled + sum(self._propose(deployment) for deployment in self._policy.deployments.values())

    def _join(self) -> int:
        return self._joining.step()

    def _link(self) -> int:
        now = self._clock.now()
        links, given_up = self._links(now)
        if links:
            with self._store.write() as tx:
                feedback.set_links(tx, links)
        self._linked_at = now
        self._say(given_up)
        return len(links)

    def _links(self, now: datetime) -> tuple[list[Link], int]:
        """Of all signals that are due, in batches that fit into memory; and how many signals were given up so far."""
        with self._store.read() as tx:
            links = feedback.links_to_kept_reports(tx, now - TWIN_GRACE)
            for skip in range(0, MOST, BATCH):
                due = feedback.due_for_link(
                    tx, now=now, before=self._linked_at, patience=self._patience, limit=BATCH, skip=skip
                )
                links += _changed(due, choose_links(self._candidates(tx, due, now)))
                if len(due) < BATCH:
                    break
            return links, feedback.count_unlinked(tx, now, self._patience).given_up

    def _candidates(self, tx: Tx, due: Sequence[Feedback], now: datetime) -> list[LinkCandidate]:
        """Mostly it is a call of the last day; only what does not find one there is worth a look at all of them."""
        young = [item for item in due if now - item.received_at < YOUNG]
        older = [item for item in due if now - item.received_at >= YOUNG]
        since = min((item.at for item in young), default=now) - RECENT
        return [*interactions.find_for_link(tx, young, since), *interactions.find_for_link(tx, older)]

    def _say(self, given_up: int) -> None:
        """Once for each signal that is given up; the gauge has them all."""
        if self._given_up is not None and given_up > self._given_up:
            log.warning(
                "%d more feedback records found no interaction within %g days and are no longer tried; "
                "docs/connect.md says which keys are looked for",
                given_up - self._given_up,
                self._patience.given_up_after_s / 86_400,
            )
        self._given_up = given_up

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


def _changed(due: Sequence[Feedback], links: Sequence[Link]) -> list[Link]:
    """Without those that say what is written down already."""
    known = {item.id: (item.linked_interaction_id, item.link_method) for item in due}
    return [link for link in links if known[link.feedback_id] != (link.interaction_id, link.method)]
