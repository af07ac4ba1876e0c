"""A process recognizes the replays that another process with the same lake runs."""

from contextlib import closing

import pytest

from monitor.errors import StoreUnavailable
from monitor.ingest.normalize.known_runs import MAX_AGE_S, KnownRuns
from monitor.store.runs import runs
from tests.store.build import HandClock, run
from tests.store.lake.lakes import Lakes

PREFIX = "ab" * 8


def test_an_announced_run_is_known_to_every_process(lakes: Lakes, clock: HandClock) -> None:
    name = lakes.create()
    with closing(lakes.open(name, clock)) as planner, closing(lakes.open(name, clock)) as ingesting:
        here = KnownRuns(planner, clock, list, sleep=lambda s: setattr(clock, "seconds", clock.seconds + s))
        there = KnownRuns(ingesting, clock, list)
        with planner.write() as tx:
            runs.insert(tx, run("r", trace_prefix=PREFIX))
        assert there.run_of(PREFIX + "0" * 16) is None
        here.announce()
        assert clock.seconds == MAX_AGE_S
        assert here.run_of(PREFIX + "0" * 16) == there.run_of(PREFIX + "0" * 16) == "r"


def test_without_the_store_no_trace_is_taken_for_traffic(lakes: Lakes, clock: HandClock) -> None:
    store = lakes.open(lakes.create(), clock)
    known = KnownRuns(store, clock, list)
    store.close()
    assert known.run_of(PREFIX) is None
    clock.seconds += MAX_AGE_S
    for _ in range(2):
        with pytest.raises(StoreUnavailable):
            known.run_of(PREFIX)
