"""Judges the turns of users: new ones soon after they arrive, and stored ones after an upgrade of the detector."""

import logging
import random
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Final

from monitor.clock import Clock
from monitor.domain.policy import DeploymentPolicy, Policy
from monitor.domain.turn import TurnCalibration, TurnProgress
from monitor.jobs.linking.duplicates import GRACE
from monitor.jobs.turns.judging import AnswerChooser, TurnJudge, by_content, judge_pending, load_detector
from monitor.store.engine.database import Store
from monitor.store.turns import calibrations, pending, progress, signals
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
BATCH: Final = 500  # turns of one step: about half a second of one core
PIECE: Final = timedelta(days=1)  # of stored calls, searched at once by the catch-up
NOTED_EVERY: Final = timedelta(minutes=1)  # how often an idle loop stores its progress
CATCH_UP: Final = timedelta(days=60)  # older turns are not judged again after an upgrade


class TurnLoop:
    """Judges each turn once per version of the detector. Links and ingest continue meanwhile: a step is short, and
    between two steps of the catch-up half of the time is left to other work.

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
        self._catching_up = False

    @property
    def poll_s(self) -> float:
        """Return the pause between steps, in seconds."""
        return 0.5 if self._catching_up else 5.0

    def step(self) -> int:
        """Judge a batch of each deployment, and return the number of new turns. The catch-up does not count as work."""
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
        judged = self._judge_between(judge, deployment, known.until - GRACE, now, now)
        if judged < self._batch and (judged or now - known.until >= NOTED_EVERY):
            self._put(replace(known, until=max(now, known.until)))
        return judged

    def _catch_up(self, judge: TurnJudge, deployment: DeploymentPolicy, now: datetime) -> bool:
        """Judge a batch of stored turns, the newest first. Return whether there may be more."""
        known = self._progress(judge, deployment, now)
        floor = now - CATCH_UP
        if known.since <= floor:
            return False
        with self._store.read() as tx:
            newest = pending.newest_call(tx, deployment.name, since=floor, until=known.since)
        if newest is None:
            self._put(replace(known, since=floor))
            return False
        since = max(floor, newest - PIECE)
        if self._judge_between(judge, deployment, since, known.since, now) < self._batch:
            self._put(replace(known, since=since))
        return True

    def _judge_between(
        self, judge: TurnJudge, deployment: DeploymentPolicy, since: datetime, until: datetime, now: datetime
    ) -> int:
        with self._store.read() as tx:
            waiting = pending.pending(tx, deployment.name, judge.version, since=since, until=until, limit=self._batch)
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
