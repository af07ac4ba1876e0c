"""Fires hostile requests at a real daemon for a given time and measures its memory.

`python bench/fuzz.py --seconds 300 --seed 1`. Leaves with 1 when something was answered with a 5xx or not at all, when
an acknowledged record is missing, when the daemon logged a bug, or when it took more memory than --most-mb.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from random import Random
from time import monotonic

from tests.fuzz.attacks import attacks, heavy_attacks
from tests.fuzz.mutate import mutated
from tests.fuzz.requests import Request
from tests.fuzz.shoot import Shots
from tests.kills.file import rows_of
from tests.kills.process import Daemon

ROUND = 400  # requests between two lines of progress
NOWHERE = "http://127.0.0.1:9/v1"


@dataclass(slots=True)
class Memory:
    """Of the daemon, in MiB of resident set."""

    start: float
    most: float = 0.0
    end: float = 0.0

    def look(self, now: float) -> float:
        self.most, self.end = max(self.most, now), now
        return now


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="how long to fire (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations (%(default)s)")
    parser.add_argument("--at-once", type=int, default=4, help="connections (%(default)s)")
    parser.add_argument("--most-mb", type=float, default=1500.0, help="memory the daemon may take (%(default)s)")
    options = parser.parse_args()
    rng = Random(options.seed)
    with (
        tempfile.TemporaryDirectory(prefix="driftd-fuzz-") as folder,
        Daemon(folder=Path(folder), model_url=NOWHERE) as daemon,
    ):
        daemon.start("--log-level", "warning")
        daemon.wait_ready()
        shots = Shots({"api": daemon.api, "otlp": daemon.otlp})
        memory = Memory(daemon.rss_mb())
        _fire(daemon, shots, memory, rng, seconds=options.seconds, at_once=options.at_once)
        answers = daemon.http.get(f"{daemon.api}/readyz").status_code == 200
        left = daemon.stop()
        return _judge(daemon, shots, memory, well=answers and left == 0, most_mb=options.most_mb)


def _fire(daemon: Daemon, shots: Shots, memory: Memory, rng: Random, *, seconds: float, at_once: int) -> None:
    """Every known attack once, then mutations with the known ones among them, round by round."""
    began = monotonic()
    endless = _endless(rng)
    while (spent := monotonic() - began) < seconds:
        for _ in range(10):
            shots.fire(islice(endless, ROUND // 10), at_once=at_once)
            memory.look(daemon.rss_mb())
        statuses = "  ".join(f"{status}: {count}" for status, count in sorted(shots.statuses.items()))
        _say(f"  {spent:6.0f} s  {shots.statuses.total():7} sent  {memory.end:6.0f} MiB  {statuses}")
        for line in shots.wrong[-3:]:
            _say(f"    WRONG {line}")


def _endless(rng: Random) -> Iterator[Request]:
    number = 0
    while True:
        yield from attacks()
        yield from heavy_attacks()
        for _ in range(4000):
            number += 1
            yield mutated(rng, number)


def _judge(daemon: Daemon, shots: Shots, memory: Memory, *, well: bool, most_mb: float) -> int:
    with rows_of(daemon.file) as rows:
        stored = rows.counts("interaction")
        letters = rows.number("SELECT count(*) FROM dead_letter")
    missing = [key for key in shots.landed if key not in stored]
    twice = sum(stored.get(key, 1) - 1 for key in set(shots.landed))  # mutations may send one id with two start times
    bugs = daemon.log.count("level=error")
    _say(f"  memory: {memory.start:.0f} MiB at the start, {memory.most:.0f} at most, {memory.end:.0f} in the end")
    _say(
        f"  {len(shots.landed)} valid records among malformed ones acknowledged, {len(missing)} missing, {twice} twice"
    )
    _say(f"  {len(stored)} interactions, {letters} dead letters, {bugs} errors logged")
    _say(f"  {len(shots.wrong)} wrong answers; the daemon {'answered and left with 0' if well else 'DID NOT END WELL'}")
    if bugs:
        _say(daemon.log[-3000:])
    holds = well and not (shots.wrong or missing or twice or bugs) and memory.most <= most_mb
    _say("HOLDS" if holds else "BROKEN")
    return 0 if holds else 1


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
