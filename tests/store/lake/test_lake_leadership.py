"""The first of two processes leads at once, and the second when the first has stopped."""

from contextlib import closing

import pytest

from monitor.clock import SystemClock
from monitor.errors import LeaseLost
from monitor.leadership import leadership
from monitor.store.runs import runs
from tests.store.build import run
from tests.store.lake.lakes import Lakes


def test_a_free_lease_is_held_after_the_start_and_passed_on_by_the_stop(lakes: Lakes) -> None:
    name = lakes.create()
    with closing(lakes.open(name, SystemClock())) as one, closing(lakes.open(name, SystemClock())) as other:
        first, second = leadership(one, serving=True), leadership(other, serving=True)
        first.start()
        second.start()
        assert (first.leads(), second.leads()) == (True, False)
        with first.turn() as ours, second.turn() as theirs:
            assert (ours, theirs) == (True, False)
        with pytest.raises(LeaseLost), second.store.write() as tx:
            runs.insert(tx, run("r"))
        first.stop()
        assert second.lease is not None
        assert second.lease.wait(15.0)
        with second.store.write() as tx:
            runs.insert(tx, run("r"))
        second.stop()
