"""Reproduces the candidates that wait for a review, one after the other, within a daily budget."""

import hashlib
import logging
import secrets
from dataclasses import replace
from datetime import datetime, timedelta

from monitor.clock import Clock
from monitor.domain.evalset import SetKind
from monitor.domain.feedback import Candidate
from monitor.domain.policy import DeploymentPolicy, Policy, refusal
from monitor.domain.reproduction import Reproduction, ReproductionState
from monitor.domain.run import new_id
from monitor.feedback.candidates.case import case_of
from monitor.feedback.reproduction import reproduced
from monitor.jobs.after_writes import AfterWrites
from monitor.jobs.replay.dependencies import ReplayDependencies
from monitor.jobs.replay.run_queue import RunQueue
from monitor.jobs.replay.spending import Spending
from monitor.jobs.reproduce.asking import ask
from monitor.jobs.reproduce.judging import judge_reply
from monitor.schedules.due import is_held
from monitor.store.engine.database import Store
from monitor.store.runs import pauses
from monitor.store.sets import reproductions
from monitor.store.traffic import versions
from monitor.telemetry import NO_TELEMETRY, Recorder
from replay.errors import ReplayError
from replay.periods import Period, PeriodAccount
from replay.run.budget import Account, Budget
from replay.types import Reply

log = logging.getLogger(__name__)


class ReproductionLoop:
    """Asks the current version for the replies to a candidate's input. A replay of the target goes first."""

    name = "reproduction"
    poll_s = 30.0

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        dependencies: ReplayDependencies,
        queue: RunQueue,
        spending: Spending,
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        self._store, self._policy, self._clock, self._dependencies = store, policy, clock, dependencies
        self._queue, self._spending, self._telemetry = queue, spending, telemetry
        self._accounts: dict[str, Account] = {}  # by deployment
        self._after_writes = {name: AfterWrites(store, clock) for name in policy.deployments}
        self._not_before: dict[str, datetime] = {}  # by deployment, after an outage of its target

    def step(self) -> int:
        """Return how many candidates were reproduced or judged again."""
        return sum(self._of(each) for each in self._policy.deployments.values() if self._has_candidate(each))

    def _has_candidate(self, deployment: DeploymentPolicy) -> bool:
        def search() -> int:
            with self._store.read() as tx:
                return reproductions.next_candidate(tx, deployment.name) is not None

        return self._after_writes[deployment.name].run(search) > 0

    def _of(self, deployment: DeploymentPolicy) -> int:
        set_name = self._set_of(deployment)
        if set_name is None or not deployment.reproduction.samples or self._queue.stopping.is_set():
            return 0
        with self._store.read() as tx:
            candidate = reproductions.next_candidate(tx, deployment.name)
            known = None if candidate is None else reproductions.of_candidates(tx, [candidate.id]).get(candidate.id)
        if candidate is None:
            return 0
        digest = input_digest(candidate)
        if known is not None and known.state is ReproductionState.DONE and known.input_digest == digest:
            self._judge_again(known, candidate, set_name, deployment)
            return 1
        if self._must_wait(deployment):
            return 0
        with self._queue.reserved(deployment.name) as free:
            if not free:
                return 0
            if known is None or known.input_digest != digest:
                known = self._begin(candidate, deployment, digest)
            return self._ask(known, candidate, set_name, deployment)

    def _set_of(self, deployment: DeploymentPolicy) -> str | None:
        """Return the dynamic set whose scorers judge the replies; None when the target may not receive its cases."""
        found = next((n for n in deployment.sets if self._policy.sets[n].kind is SetKind.DYNAMIC), None)
        return None if found is None or refusal(deployment, self._policy.sets[found]) is not None else found

    def _must_wait(self, deployment: DeploymentPolicy) -> bool:
        """Return whether a blackout, a pause, a spent budget or an outage forbids calls now."""
        now = self._clock.now()
        if now < self._not_before.get(deployment.name, now):
            return True
        with self._store.read() as tx:
            paused = pauses.of_schedules(tx)
        schedules = [each for each in self._policy.schedules.values() if deployment.name in each.deployments]
        if any(is_held(each, now, paused.get(each.name, ())) for each in schedules):
            return True
        accounts = (self._own(deployment), *self._spending.accounts(deployment.name))
        return any(account.limit() is not None for account in accounts)

    def _own(self, deployment: DeploymentPolicy) -> Account:
        """Return the daily budget of reproductions. The accounts of the deployment are opened first: they charge what a
        killed process has sent.
        """
        if deployment.name not in self._accounts:
            self._spending.accounts(deployment.name)
            limits, now = deployment.reproduction, self._clock.now()
            with self._store.read() as tx:
                spent = reproductions.spent_since(tx, deployment.name, Period.DAY.begin(now))
            budget = Budget(requests=limits.daily_requests, usd=limits.daily_usd)
            largest = self._spending.most_expensive_reply(deployment.name)
            account = PeriodAccount(budget, Period.DAY, self._clock.now, spent=spent, expected=largest)
            self._accounts[deployment.name] = account
        return self._accounts[deployment.name]

    def _begin(self, candidate: Candidate, deployment: DeploymentPolicy, digest: str) -> Reproduction:
        """Store a new reproduction, and make its traces known before its first call."""
        now = self._clock.now()
        with self._store.write() as tx:
            row = Reproduction(
                candidate_id=candidate.id,
                deployment=deployment.name,
                run_id=new_id(reproductions.RUN_PREFIX, now),
                trace_prefix=secrets.token_hex(8),
                began_at=now,
                state=ReproductionState.ASKING,
                samples=deployment.reproduction.samples,
                revision=candidate.revision,
                input_digest=digest,
                version=versions.current_version(tx, deployment.name),
            )
            reproductions.remove_replies(tx, candidate.id)
            reproductions.save(tx, row)
        self._dependencies.announce()
        return row

    def _ask(self, row: Reproduction, candidate: Candidate, set_name: str, deployment: DeploymentPolicy) -> int:
        try:
            report, conditions = ask(
                row,
                candidate,
                store=self._store,
                clock=self._clock,
                dependencies=self._dependencies,
                set_name=set_name,
                spending=self._spending,
                own=self._own(deployment),
                stop=self._queue.stopping,
                telemetry=self._telemetry,
            )
        except ReplayError as error:
            self._postpone(row, deployment, str(error))
            return 0
        finally:
            self._spending.fold(row.run_id)
        if report.interrupted or report.stopped_by is not None:
            self._save(replace(row, error=report.stopped_by and f"the budget is spent: {report.stopped_by}"))
            return 0
        self._finish(replace(row, target=conditions, revision=candidate.revision), deployment)
        return 1

    def _postpone(self, row: Reproduction, deployment: DeploymentPolicy, error: str) -> None:
        self._not_before[deployment.name] = self._clock.now() + timedelta(seconds=deployment.replay.retry_s)
        log.warning("candidate %s cannot be reproduced now: %s", row.candidate_id, error)
        self._save(replace(row, error=error))

    def _judge_again(
        self, row: Reproduction, candidate: Candidate, set_name: str, deployment: DeploymentPolicy
    ) -> None:
        """Judge the stored replies by the edited expectation, without a call."""
        case, scorers = case_of(candidate), self._dependencies.scorers_of(set_name)
        with self._store.read() as tx:
            known = reproductions.replies(tx, row.run_id)
        judged = []  # outside of a transaction: a scorer may run a program for seconds
        for each in known:
            if each.output is None:
                judged.append(each)
                continue
            reply = Reply(text=each.output, latency_ms=each.latency_ms or 0.0, model=each.model)
            verdict = judge_reply(case, reply, candidate.bad_output, scorers)
            judged.append(replace(each, fails=verdict.fails, reason=verdict.reason))
        with self._store.write() as tx:
            reproductions.remove_replies(tx, row.candidate_id)
            reproductions.add_replies(tx, judged)
        self._finish(replace(row, revision=candidate.revision), deployment)

    def _finish(self, row: Reproduction, deployment: DeploymentPolicy) -> None:
        with self._store.write() as tx:
            verdicts = [reply.fails for reply in reproductions.replies(tx, row.run_id)]
            found = reproduced(verdicts, min(deployment.reproduction.min_failures, row.samples))
            reproductions.save(
                tx,
                replace(
                    row,
                    state=ReproductionState.DONE,
                    ended_at=self._clock.now(),
                    label=found.label,
                    scored=found.scored,
                    failures=found.failures,
                    low=found.low,
                    high=found.high,
                    error=None,
                ),
            )
        log.info("candidate %s: %s, %d of %d fail", row.candidate_id, found.label, found.failures, found.scored)

    def _save(self, row: Reproduction) -> None:
        with self._store.write() as tx:
            reproductions.save(tx, row)


def input_digest(candidate: Candidate) -> str:
    """Return what identifies the question that a reproduction asks."""
    parts = [f"{message.role}\0{message.content}" for message in candidate.input]
    return hashlib.sha256("\1".join(parts).encode("utf-8", "replace")).hexdigest()
