"""Fails a run after a loop has crashed on it twice, so that one run stops neither its loop nor the daemon."""

import logging
import traceback
from datetime import datetime
from pathlib import Path

from monitor.clock import Clock
from monitor.domain.finding import Finding, ReadSource, SetReplay, Verdict
from monitor.domain.replay_health import replays_of
from monitor.domain.run import Run, RunState, new_id
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from monitor.store.runs import runs
from monitor.telemetry import NO_TELEMETRY, Recorder

log = logging.getLogger(__name__)
ATTEMPTS = 2  # a crash that passes by itself is gone at the second
ROOT = Path(__file__).parents[3]


class CrashLimit:
    """Counts the crashes of each run in the store, so that the count survives restarts."""

    def __init__(self, store: Store, clock: Clock, telemetry: Recorder = NO_TELEMETRY) -> None:
        self._store, self._clock, self._telemetry = store, clock, telemetry

    def crashed(self, run: Run, step: str, error: Exception) -> None:
        """Record a crash of `step` on the run. The second one fails the run and raises an alert."""
        where = crash_site(error)
        log.error("run %s: %s crashed: %s; frames:\n%s", run.id, step, where, _frames(error))
        with self._store.write() as tx:
            crashes = runs.count_crash(tx, run.id)
            found = runs.get(tx, run.id)
            if crashes < ATTEMPTS or found is None or found.state is RunState.CANCELLED:
                return
            now = self._clock.now()
            reason = f"set aside: {step} crashed {crashes} times with {where}; report it with driftd's log"
            runs.fail_crashed(tx, run.id, now, reason)
            if step == JUDGING:  # nothing else ends a run that cannot be judged
                findings.insert(tx, _failed(run, reason, now))
            findings.insert(tx, _alarm(run, f"run {run.id} was {reason}", now))
        log.error("run %s was %s", run.id, reason)
        self._telemetry.count("driftd.replay.runs", 1, {"deployment": run.deployment, "state": RunState.FAILED.value})
        labels = {"deployment": run.deployment, "verdict": Verdict.REGRESSION.value}
        self._telemetry.count("driftd.findings", 1, labels)


REPLAYING, JUDGING = "the replay", "the judgement"


def crash_site(error: BaseException) -> str:
    """The class of the error and the function that raised it, without its message: that may quote a sealed text.

    >>> try:
    ...     {}["the sealed question"]
    ... except KeyError as error:
    ...     crash_site(error).split(" in ")[0]
    'KeyError'
    """
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if Path(frame.filename).is_relative_to(ROOT)] or frames
    if not ours:
        return type(error).__name__
    path = Path(ours[-1].filename)
    shown = path.relative_to(ROOT) if path.is_relative_to(ROOT) else Path(path.name)
    return f"{type(error).__name__} in {ours[-1].name} ({shown})"


def _frames(error: BaseException) -> str:
    """Return the traceback without the message of the error."""
    return "".join(traceback.format_list(traceback.extract_tb(error.__traceback__))).rstrip()


def _failed(run: Run, reason: str, now: datetime) -> Finding:
    return Finding(
        id=new_id("finding", now),
        deployment=run.deployment,
        at=now,
        signal="score",
        segment="overall",
        subject=SetReplay(set_name=run.set_name, set_kind=run.set_kind, candidate_run=run.id),
        verdict=Verdict.FAILED,
        severity="warning",
        reason=reason,
        alpha=0.0,
        to_version=run.version,
        change_id=run.change_id,
    )


def _alarm(run: Run, reason: str, now: datetime) -> Finding:
    """Open the replay alert of this set. monitor/jobs/alerting/replay_checks.py resolves it."""
    return Finding(
        id=new_id("finding", now),
        deployment=run.deployment,
        at=now,
        signal="source",
        segment="overall",
        subject=ReadSource(source=replays_of(run.deployment, run.set_name)),
        verdict=Verdict.REGRESSION,
        severity="warning",
        reason=reason,
        alpha=0.0,
        rule="ReplayFailed",
    )
