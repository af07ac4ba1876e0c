"""Workers of one partition are killed at random: every record is stored once."""

import random
import subprocess
import sys
from time import sleep

from tests.store.build import HandClock
from tests.store.lake.lakes import Lakes
from tests.store.traffic.test_source_positions import stored

ENDLESS = 10**9
KILLS = 8


def test_every_record_is_stored_once_over_kills_and_competitors(lakes: Lakes, clock: HandClock) -> None:
    name, rng = lakes.create(), random.Random(7)
    store = lakes.open(name, clock)
    command = [sys.executable, "-m", "tests.store.lake.ingest_worker", lakes.server.url(name), str(lakes.data)]
    with subprocess.Popen([*command, str(ENDLESS)], stdout=subprocess.DEVNULL) as competitor:
        try:
            for _ in range(KILLS):
                with subprocess.Popen([*command, str(ENDLESS)], stdout=subprocess.PIPE) as worker:
                    assert worker.stdout is not None
                    worker.stdout.readline()
                    sleep(rng.uniform(0.0, 0.4))
                    worker.kill()
            assert competitor.poll() is None
        finally:
            competitor.kill()
    [reached] = stored(store).values()
    assert subprocess.run([*command, str(reached + 50)], check=False, capture_output=True).returncode == 0
    with store.read() as tx:
        [(rows, ids)] = tx._cursor.execute("SELECT count(*), count(DISTINCT id) FROM interaction").fetchall()
    assert (rows, ids, stored(store)) == (reached + 50, reached + 50, {("t-1", 0): reached + 50})
    store.close()
