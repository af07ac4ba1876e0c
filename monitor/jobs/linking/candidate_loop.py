"""Turns corrections into candidates, and accepts candidates where the configuration allows it."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime

from monitor.clock import Clock
from monitor.domain.feedback import Candidate, CandidateState
from monitor.domain.policy import DeploymentPolicy, Policy
from monitor.domain.review import Action, CandidateFilter, Decision, Order
from monitor.domain.run import new_id
from monitor.feedback.candidates.draft import Draft
from monitor.feedback.candidates.evidence import from_feedback
from monitor.feedback.candidates.review import BY_POLICY, Judge, any_case, review
from monitor.jobs.after_writes import AfterWrites
from monitor.jobs.linking.proposing import Proposer, Report
from monitor.jobs.linking.sealed_copies import SealedCopies, Sealers, no_sealers
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.sets import candidates
from monitor.store.traffic import feedback

log = logging.getLogger(__name__)
BATCH = 500  # corrections that are processed together
AT_ONCE = 1_000  # waiting candidates that one step accepts
WAITING = CandidateFilter(  # with the right answer itself; a person reviews sampled calls
    state=CandidateState.PROPOSED, given=True, held=False, conflict=False, sampled=False
)
ACCEPT = Order(action=Action.ACCEPT)


def unchanged(user: str) -> str:
    return user


class CandidateStep:
    """The part of the link loop that writes candidates."""

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        unjudged: Judge = any_case,
        sealers: Sealers = no_sealers,
        stored_as: Callable[[str], str] = unchanged,
    ) -> None:
        self._store, self._policy, self._clock, self._unjudged = store, policy, clock, unjudged
        self._proposer = Proposer(store, clock, SealedCopies(sealers), stored_as)
        self._after_writes = AfterWrites(store, clock)

    def step(self) -> int:
        """Return how many candidates were proposed or accepted."""
        return self._after_writes.run(lambda: sum(map(self._of, self._policy.deployments.values())))

    def _of(self, deployment: DeploymentPolicy) -> int:
        accepting = any(self._policy.sets[name].auto_accept for name in deployment.sets)
        with self._store.read() as tx:
            drafts = self._proposer.drafts(tx, deployment, reports_of(tx, deployment.name))
            waiting = accepting and bool(_waiting(tx, deployment.name, limit=1))
        if not drafts and not waiting:
            return 0
        with self._store.write() as tx:
            done = self._proposer.write(tx, deployment, _still_stored(tx, deployment.name, drafts)) if drafts else 0
            return done + (self._accept(tx, deployment) if accepting else 0)

    def _accept(self, tx: Tx, deployment: DeploymentPolicy) -> int:
        """Accept candidates that contain the correct answer. The others wait for a reviewer."""
        now = self._clock.now()
        found = [review(row, ACCEPT, who=BY_POLICY, now=now) for row in _waiting(tx, deployment.name, limit=AT_ONCE)]
        reviewed = [each.candidate for each in found if each is not None]
        candidates.record(tx, reviewed, [_decision(row, now) for row in reviewed])
        self._warn(deployment.name, reviewed)
        return len(reviewed)

    def _warn(self, deployment: str, accepted: Sequence[Candidate]) -> None:
        reasons = [why for row in accepted if (why := self._unjudged(row)) is not None]
        if reasons:
            log.warning(
                "deployment %s: %d of %d corrections that were accepted by themselves get no verdict (%s); edit them "
                "with `driftd candidates edit`",
                deployment,
                len(reasons),
                len(accepted),
                reasons[0],
            )


def reports_of(tx: Tx, deployment: str) -> list[Report]:
    """Return the corrections that belong to no group yet."""
    return [
        Report(correction=from_feedback(item), interaction=interaction, at=item.at)
        for item, interaction in feedback.corrections_without_candidate(tx, deployment, BATCH)
    ]


def _still_stored(tx: Tx, deployment: str, drafts: Sequence[Draft]) -> list[Draft]:
    """Return the drafts whose correction is still stored: data that was erased must not become a candidate."""
    ids = {report.correction.id for report in reports_of(tx, deployment)}
    return [each for each in drafts if each.member.correction_id in ids]


def _waiting(tx: Tx, deployment: str, limit: int) -> list[Candidate]:
    return candidates.page(tx, PageQuery(limit=limit, deployment=deployment), WAITING).items


def _decision(row: Candidate, now: datetime) -> Decision:
    return Decision(
        id=new_id("review", now),
        candidate_id=row.id,
        deployment=row.deployment,
        at=now,
        who=BY_POLICY,
        action=Action.ACCEPT,
        state=row.state,
    )
