"""Judges the turns of users: new ones soon after they arrive, and stored ones after an upgrade of the detector."""

import logging
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from monitor.clock import Clock
from monitor.domain.policy import DeploymentPolicy, Policy
from monitor.domain.turn import PendingTurn, TurnCalibration, TurnProgress
from monitor.jobs.after_writes import AfterWrites
from monitor.jobs.linking.duplicates import GRACE
from monitor.jobs.turns.judging import AnswerChooser, TurnJudge, by_content, judge_pending, load_detector
from monitor.jobs.turns.search import TurnSearch
from monitor.store.engine.database import Store
from monitor.store.turns import calibrations, pending, progress, signals
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
BATCH: Final = 500  # turns of one step: about half a second of one core
PIECE: Final = timedelta(days=1)  # of stored calls, searched at once by the catch-up
SEARCHED_EVERY: Final = timedelta(seconds=5)  # how often new calls are searched while there are turns to judge
COMMITTED_WITHIN: Final = timedelta(minutes=1)  # of their arrival, calls are in the store
NOTED_EVERY: Final = timedelta(minutes=1)  # how often an idle loop stores its progress
CATCH_UP: Final = timedelta(days=60)  # older turns are not judged again after an upgrade


class TurnLoop:
    """Judges each turn once per version of the detector. Links and ingest continue meanwhile: a step is short, and
    between two steps of the catch-up half of the time is left to other work. One search lists the turns of many steps,
    so that a turn takes the same CPU time with any backlog. A restart forgets the list and searches again.

    Calls of the last ten minutes are searched again, because their texts and earlier answers may arrive late.
    """

    name = "turns"

    def __init__(
        self,
        *,
        store: Store,
        policy: Policy,
        clock: Clock,
        judge: Callable[[TurnCalibration | None], TurnJudge] = load_detector,
        choose: AnswerChooser = by_content,
        rng: random.Random | None = None,
        batch: int = BATCH,
        telemetry: Recorder = NO_TELEMETRY,
    ) -> None:
        """`judge` returns the detector with a calibration; only the thread of the loop loads it."""
        self._store, self._policy, self._clock, self._telemetry = store, policy, clock, telemetry
        self._load, self._choose, self._batch = judge, choose, batch
        self._rng = rng or random.SystemRandom()
        self._judges: dict[str, tuple[TurnCalibration | None, TurnJudge]] = {}  # by deployment, with its calibration
        self._after_writes = AfterWrites(store, clock)
        self._new: dict[str, TurnSearch] = {}  # by deployment
        self._stored: dict[str, TurnSearch] = {}
        self._catching_up = False

    @property
    def poll_s(self) -> float:
        """Return the pause between steps, in seconds."""
        return 0.5 if self._catching_up else 5.0

    def step(self) -> int:
        """Judge a batch of each deployment, and return the number of new turns. The catch-up does not count as work.

        Without a write since a step that found nothing, the calls are searched again after a minute only.
        """
        return self._after_writes.run(self._judge_each)

    def _judge_each(self) -> int:
        now = self._clock.now()
        watched = [one for one in self._policy.deployments.values() if one.turn_signals and self._has_calls(one, now)]
        judges = [(self._judge_of(deployment.name), deployment) for deployment in watched]
        new = sum(self._judge_new(judge, deployment, now) for judge, deployment in judges)
        if not new:
            behind = [self._catch_up(judge, deployment, now) for judge, deployment in judges]
            self._catching_up = any(behind)
        return new

    def _has_calls(self, deployment: DeploymentPolicy, now: datetime) -> bool:
        """Return whether calls of the deployment were judged, or can be: without them, the detector is not loaded."""
        if deployment.name in self._judges:
            return True
        with self._store.read() as tx:
            if progress.get(tx, deployment.name) is not None:
                return True
            return pending.newest_call(tx, deployment.name, since=now - CATCH_UP, until=now) is not None

    def _judge_of(self, deployment: str) -> TurnJudge:
        """Return the detector of a deployment. A new calibration is a new version of it."""
        with self._store.read() as tx:
            calibration = calibrations.newest(tx, deployment)
        if deployment not in self._judges or self._judges[deployment][0] != calibration:
            self._judges[deployment] = (calibration, self._load(calibration))
        return self._judges[deployment][1]

    def _judge_new(self, judge: TurnJudge, deployment: DeploymentPolicy, now: datetime) -> int:
        """Judge the turns that arrived since the last step, and those of the grace period."""
        known = self._progress(judge, deployment, now)
        search = self._new.get(deployment.name)
        if search is None or search.version != judge.version or self._is_over(search, now):
            search = TurnSearch(deployment.name, judge.version, since=known.until - GRACE, now=now)
            self._extend(search, now)
            self._new[deployment.name] = search
        elif self._is_due(search, now):
            self._extend(search, now)
        judged = self._judge_next(search, judge, deployment, now)
        if search.ended and search.complete and (judged or now - known.until >= NOTED_EVERY):
            self._put(replace(known, until=max(search.began_at, known.until)))
        return judged

    def _catch_up(self, judge: TurnJudge, deployment: DeploymentPolicy, now: datetime) -> bool:
        """Judge a batch of stored turns, the newest first. Return whether there may be more."""
        known = self._progress(judge, deployment, now)
        floor = now - CATCH_UP
        if known.since <= floor:
            return False
        search = self._stored.get(deployment.name)
        if search is None or search.version != judge.version or search.ended:
            with self._store.read() as tx:
                newest = pending.newest_call(tx, deployment.name, since=floor, until=known.since)
            if newest is None:
                self._put(replace(known, since=floor))
                return False
            since = max(floor, newest - PIECE)
            search = TurnSearch(deployment.name, judge.version, since=since, now=now)
            self._extend(search, known.since)
            self._stored[deployment.name] = search
        self._judge_next(search, judge, deployment, now)
        if search.ended and search.complete:
            self._put(replace(known, since=search.since))
        return True

    def _is_over(self, search: TurnSearch, now: datetime) -> bool:
        return search.ended and (not search.complete or self._is_due(search, now))

    @staticmethod
    def _is_due(search: TurnSearch, now: datetime) -> bool:
        return now - search.searched_until >= SEARCHED_EVERY

    def _extend(self, search: TurnSearch, until: datetime) -> None:
        with self._store.read() as tx:
            search.extend(tx, until)

    def _judge_next(self, search: TurnSearch, judge: TurnJudge, deployment: DeploymentPolicy, now: datetime) -> int:
        """Judge the next batch of a search, and return the number of its turns."""
        waiting = self._next_of(search, deployment)
        if not waiting:
            return 0
        found = [judge_pending(each, judge, self._choose, now=now) for each in waiting]
        with self._store.write() as tx:
            signals.write(tx, found)
        for flagged in (True, False):
            count = sum(signal.verdict.flagged is flagged for signal in found)
            labels = {"deployment": deployment.name, "result": "correction" if flagged else "other"}
            self._telemetry.count("driftd.turns", count, labels)
        return len(found)

    def _next_of(self, search: TurnSearch, deployment: DeploymentPolicy) -> list[PendingTurn]:
        """Return the next batch that still has turns."""
        arrived = search.began_at - COMMITTED_WITHIN
        while (batch := search.next(self._batch)) is not None:
            with self._store.read() as tx:
                if waiting := pending.read(tx, deployment.name, batch, arrived=arrived):
                    return waiting
        return []

    def _progress(self, judge: TurnJudge, deployment: DeploymentPolicy, now: datetime) -> TurnProgress:
        """Return the progress of this version. The first step of a version stores it."""
        with self._store.read() as tx:
            known = progress.get(tx, deployment.name, judge.version)
        if known is not None:
            return known
        first = TurnProgress(
            deployment=deployment.name,
            version=judge.version,
            began_at=now,
            since=now,
            until=now,
            seed=self._rng.getrandbits(62),
        )
        with self._store.write() as tx:
            progress.put(tx, first)
        log.info("deployment %s: turns are judged by version %s of the detector", deployment.name, judge.version)
        return first

    def _put(self, new: TurnProgress) -> None:
        with self._store.write() as tx:
            progress.put(tx, new)
