"""A process is killed between the two commits of the split of a run."""

import pytest

from monitor.jobs.replay.run_queue import RunQueue
from monitor.store.lake.lake_tx import LakeTx
from monitor.store.runs import runs
from tests.store.build import HandClock
from tests.store.lake.lakes import Lakes
from tests.store.lake.test_lake_writes import killed
from tests.store.runs.test_split_end import end, require_split, stored_run


def test_a_split_that_was_interrupted_is_completed_by_the_next_start(
    lakes: Lakes, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = lakes.create()
    first = lakes.open(name, clock)
    stored = stored_run(first)
    with monkeypatch.context() as patch:
        patch.setattr(LakeTx, "_run_deferred", killed)
        with pytest.raises(SystemExit):
            end(first, stored)
    first.close()
    again = lakes.open(name, clock)
    taken = RunQueue(lambda deployment: deployment).take(again, clock)
    assert taken is not None
    with again.write() as tx:  # the loop reads the run again before it works on it
        assert not runs.is_open(tx, taken.id)
    require_split(again)
    again.close()


def test_a_split_whose_second_commit_fails_is_completed_by_the_next_write(
    lakes: Lakes, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = lakes.open(lakes.create(), clock)
    stored = stored_run(store)
    with monkeypatch.context() as patch:
        patch.setattr(LakeTx, "_run_deferred", refused)
        with pytest.raises(ConnectionError):
            end(store, stored)
    with store.write() as tx:
        assert not runs.is_open(tx, "r")
    require_split(store)
    store.close()


def refused(_: LakeTx) -> None:
    raise ConnectionError
