"""Links feedback to the interaction it is about, and proposes cases from corrections."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from monitor.clock import Clock
from monitor.domain.feedback import Feedback, Link, LinkCandidate
from monitor.domain.interaction import Interaction
from monitor.domain.policy import Policy
from monitor.feedback.candidates.review import Judge, any_case
from monitor.feedback.link import choose_links
from monitor.jobs.after_writes import AfterWrites
from monitor.jobs.linking.candidate_loop import CandidateStep, unchanged
from monitor.jobs.linking.join import PAIR_EVERY, JoinStep
from monitor.jobs.linking.sealed_copies import Sealers, no_sealers
from monitor.store.engine.database import Store, Tx
from monitor.store.traffic import feedback, interactions
from monitor.store.traffic.feedback import RetrySchedule

log = logging.getLogger(__name__)
BATCH = 10_000  # signals that are processed together
MAX_PER_STEP = 20 * BATCH  # of one step: the newest; the others are processed after their next pause
USUAL = RetrySchedule()
YOUNG = timedelta(seconds=60)
RECENT = timedelta(days=1)
DUPLICATE_GRACE = timedelta(hours=1)  # the time in which a duplicate of a call is expected


class LinkLoop:
    """Joins texts to spans, feedback to interactions, and corrections to candidates."""

    name = "link"
    poll_s = 2.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        identify: Callable[[Interaction], str | None],
        patience: RetrySchedule = USUAL,
        unjudged: Judge = any_case,
        sealers: Sealers = no_sealers,
        stored_as: Callable[[str], str] = unchanged,
    ) -> None:
        self._store, self._policy, self._clock, self._identify = store, policy, clock, identify
        self._joining = JoinStep(store, clock, identify)
        self._after_writes = AfterWrites(store, clock, longest_s=PAIR_EVERY.total_seconds())
        self._proposing = CandidateStep(
            store=store, policy=policy, clock=clock, unjudged=unjudged, sealers=sealers, stored_as=stored_as
        )
        self._patience = patience
        self._linked_at: datetime | None = None  # when signals were last linked; None: not since the start
        self._given_up: int | None = None

    def step(self) -> int:
        return self._after_writes.run(lambda: self._joining.step() + self._link()) + self._proposing.step()

    def _link(self) -> int:
        now = self._clock.now()
        links, given_up = self._links(now)
        if links:
            with self._store.write() as tx:
                feedback.set_links(tx, links)
        self._linked_at = now
        self._log_given_up(given_up)
        return len(links)

    def _links(self, now: datetime) -> tuple[list[Link], int]:
        """Return the links of all feedback that is due, in batches that fit into memory, and the number of records
        given up so far.
        """
        with self._store.read() as tx:
            links = feedback.links_to_kept_calls(tx, now - DUPLICATE_GRACE)
            for skip in range(0, MAX_PER_STEP, BATCH):
                due = feedback.due_for_link(
                    tx, now=now, before=self._linked_at, patience=self._patience, limit=BATCH, skip=skip
                )
                links += _changed(due, choose_links(self._candidates(tx, due, now)))
                if len(due) < BATCH:
                    break
            return links, feedback.count_unlinked(tx, now, self._patience).given_up

    def _candidates(self, tx: Tx, due: Sequence[Feedback], now: datetime) -> list[LinkCandidate]:
        """Return the calls that the feedback may refer to. The calls of the last day come first; only unmatched
        feedback searches all calls.
        """
        young = [item for item in due if now - item.received_at < YOUNG]
        older = [item for item in due if now - item.received_at >= YOUNG]
        since = min((item.at for item in young), default=now) - RECENT
        return [*interactions.find_for_link(tx, young, since), *interactions.find_for_link(tx, older)]

    def _log_given_up(self, given_up: int) -> None:
        """Log each feedback record that is given up, once. The gauge counts all of them."""
        if self._given_up is not None and given_up > self._given_up:
            log.warning(
                "%d more feedback records found no interaction within %g days and are no longer tried; "
                "docs/connect.md lists the keys that are searched",
                given_up - self._given_up,
                self._patience.given_up_after_s / 86_400,
            )
        self._given_up = given_up


def _changed(due: Sequence[Feedback], links: Sequence[Link]) -> list[Link]:
    """Return the links that differ from the stored ones."""
    known = {item.id: (item.linked_interaction_id, item.link_method) for item in due}
    return [link for link in links if known[link.feedback_id] != (link.interaction_id, link.method)]
