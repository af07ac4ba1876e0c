"""Measures how long an answered call waits for its commit: a replay repeats the calls of this time after a kill."""

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import monotonic

from tests.kills.replay_kills import Replays, Size, replays

ONE_BY_ONE = Size(cases=14, concurrency=1, latency_scale=0.06)


@dataclass(frozen=True, slots=True, kw_only=True)
class Delays:
    """Milliseconds from an answer until the API returns it."""

    calls: int
    median_ms: float
    longest_ms: float


def commit_delays(folder: Path) -> Delays:
    """Send one call at a time: the next one after the answer of the previous one."""
    with replays(folder, ONE_BY_ONE) as home:
        home.daemon.start()
        home.daemon.wait_ready()
        home.import_set()
        home.plan()
        found = [_delay_ms(home, answered) for answered in range(1, ONE_BY_ONE.cases)]
        assert home.daemon.stop() == 0
    return Delays(calls=len(found), median_ms=median(found), longest_ms=max(found))


def _delay_ms(home: Replays, answered: int) -> float:
    home.wait(lambda: home.calls() > answered, f"answer {answered} is there and the next call is sent")
    began = monotonic()
    home.wait(lambda: home.state()["outcomes"] >= answered, f"outcome {answered} is committed")
    return (monotonic() - began) * 1000
