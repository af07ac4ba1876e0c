"""An import is killed at random: when it has ended, every row is stored once."""

import random
import subprocess
import sys
from pathlib import Path
from time import sleep

from monitor.store.lake.imports.opened import opened_lake
from monitor.store.lake.imports.state import progress
from tests.store.build import HandClock
from tests.store.lake.imports.build import different, filled
from tests.store.lake.lakes import Lakes

KILLS = 12
CALLS = 30_000
BATCH_ROWS = 100


def rows_stored(lakes: Lakes, name: str) -> int:
    with opened_lake(lakes.server.url(name), lakes.data, "test", memory_limit_mb=256, threads=1) as connection:
        return sum(one.stored for one in progress(connection).values())


def test_every_row_is_stored_once_over_kills(lakes: Lakes, path: Path, clock: HandClock) -> None:
    name, rng, reached = lakes.create(), random.Random(11), [0]
    filled(path, clock, CALLS)
    command = [sys.executable, "-m", "tests.store.lake.imports.worker", lakes.server.url(name), str(lakes.data)]
    command += [str(path), str(BATCH_ROWS)]
    for _ in range(KILLS):
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as worker:
            assert worker.stdout is not None
            worker.stdout.readline()
            sleep(rng.uniform(0.0, 0.6))
            assert worker.poll() is None, "it ended before its kill"
            worker.kill()
        reached.append(rows_stored(lakes, name))
    assert reached == sorted(reached)
    assert len(set(reached)) > KILLS // 2, reached
    assert 0 < reached[-1] < CALLS, reached
    ended = subprocess.run(command, check=False, capture_output=True, text=True)
    assert ended.returncode == 0, ended.stderr
    assert different(lakes, name, path) == {}
