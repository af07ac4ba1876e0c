"""kill -9 in the middle of a replay with a budget: what the server is asked in all never passes it."""

from pathlib import Path
from random import Random
from time import sleep

import pytest

from tests.kills.replay_kills import Replays, Size, replays

pytestmark = [pytest.mark.xdist_group("kills"), pytest.mark.timeout(300)]
REQUESTS = 200
SIZE = Size(cases=400, concurrency=8, latency_scale=0.02)


def killed(home: Replays, rng: Random, kills: int) -> int:
    """Kill a replay at work so often, or until it is over; how often it was."""
    done = 0
    while done < kills and at_work(home, home.calls()):
        sleep(rng.uniform(0.0, 0.25))
        home.daemon.kill()
        done += 1
        home.daemon.start()
        home.daemon.wait_ready()
    return done


def at_work(home: Replays, before: int) -> bool:
    """Whether the run asks more than before; False when it is over."""
    home.wait(lambda: home.calls() > before or is_over(home), "the run goes on")
    return not is_over(home)


def is_over(home: Replays) -> bool:
    return home.state()["state"] not in ("planned", "running")


def test_six_kills_spend_no_more_than_the_budget_and_the_ledger_lists_every_call(tmp_path: Path) -> None:
    with replays(tmp_path, SIZE, replay={"budget": {"requests": REQUESTS}}) as home:
        home.daemon.start()
        home.daemon.wait_ready()
        home.import_set()
        home.plan()
        kills = killed(home, Random(11), 6)
        home.wait(lambda: is_over(home), "the run comes to its end")
        run, calls = home.state(), home.settled_calls()
        listed, committed = home.listed(), run["outcomes"]
        assert home.daemon.stop() == 0
    assert kills == 6
    assert run["state"] == "partial"
    assert run["cut_by"] == "requests"
    assert committed <= calls <= listed == REQUESTS
    assert REQUESTS - calls <= 6 * SIZE.concurrency  # a kill counts at most what could have been in flight
