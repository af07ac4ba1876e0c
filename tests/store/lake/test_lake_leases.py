"""The writes of a lease's holder are accepted, and those of an earlier holder are refused."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from monitor.clock import SystemClock
from monitor.errors import LeaseLost
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.lease import Lease
from monitor.store.runs import runs
from monitor.store.traffic import interactions
from tests.store.build import HandClock, interaction, run
from tests.store.lake.lakes import Lakes

EXPIRED = "UPDATE commits.lease_expiry SET expires_at = clock_timestamp()"


@pytest.fixture
def database(lakes: Lakes) -> str:
    return lakes.create()


@pytest.fixture
def stores(lakes: Lakes, database: str) -> Iterator[tuple[LakeStore, LakeStore]]:
    """Two processes with one lake."""
    with ExitStack() as stack:
        opened = [lakes.open(database, SystemClock()) for _ in range(2)]
        for each in opened:
            stack.callback(each.close)
        yield opened[0], opened[1]


@pytest.fixture
def leases(stores: tuple[LakeStore, LakeStore]) -> tuple[Lease, Lease]:
    return stores[0].lease("control"), stores[1].lease("control")


def test_one_process_holds_a_lease_until_it_is_released(leases: tuple[Lease, Lease]) -> None:
    one, other = leases
    one.renew()
    other.renew()
    assert (one.epoch, other.epoch) == (1, None)
    one.renew()
    one.stop()
    assert not one.held
    other.renew()
    assert (one.epoch, other.epoch) == (None, 2)


def test_leases_of_different_names_are_independent(stores: tuple[LakeStore, LakeStore]) -> None:
    held = [store.lease(name) for store, name in zip(stores, ("control", "maintain"), strict=True)]
    for lease in held:
        lease.renew()
    assert [lease.epoch for lease in held] == [1, 1]


def test_a_holder_that_did_not_renew_in_time_loses_the_lease(
    lakes: Lakes, database: str, leases: tuple[Lease, Lease]
) -> None:
    one, other = leases
    one.renew()
    lakes.server.run(EXPIRED, database)
    one.renew()
    assert not one.held
    other.renew()
    one.renew()
    assert (one.epoch, other.epoch) == (None, 2)


def test_a_holder_whose_clock_reached_the_expiry_does_not_hold_it(lakes: Lakes, database: str) -> None:
    clock = HandClock()
    store = lakes.open(database, clock)
    lease = store.lease("control", expires_s=10.0)
    lease.renew()
    clock.seconds = 9.9
    assert lease.held
    clock.seconds = 10.0
    assert not lease.held
    with pytest.raises(LeaseLost, match="does not hold the lease control"), store.under(lease).write():
        pass
    store.close()


def pass_on(lakes: Lakes, database: str, other: Lease) -> None:
    """The other process takes the lease, and the first one does not know it yet."""
    lakes.server.run(EXPIRED, database)
    other.renew()
    assert other.held


def test_a_large_commit_of_an_earlier_holder_is_refused(
    lakes: Lakes, database: str, stores: tuple[LakeStore, LakeStore], leases: tuple[Lease, Lease]
) -> None:
    leases[0].renew()
    with stores[0].under(leases[0]).write() as tx:
        interactions.insert(tx, [interaction("a")])
    pass_on(lakes, database, leases[1])
    refused = pytest.raises(LeaseLost, match="another process holds the lease control")
    with refused, stores[0].under(leases[0]).write() as tx:
        interactions.insert(tx, [interaction("b")])
    with stores[1].under(leases[1]).write() as tx:
        assert interactions.count(tx) == 1
        interactions.insert(tx, [interaction("c")])
    with stores[0].read() as tx:
        assert interactions.count(tx) == 2


def test_a_control_commit_of_an_earlier_holder_is_refused(
    lakes: Lakes, database: str, stores: tuple[LakeStore, LakeStore], leases: tuple[Lease, Lease]
) -> None:
    leases[0].renew()
    with stores[0].under(leases[0]).write() as tx:
        runs.insert(tx, run("a"))
    pass_on(lakes, database, leases[1])
    with pytest.raises(LeaseLost), stores[0].under(leases[0]).write() as tx:
        runs.insert(tx, run("b"))
    with stores[1].under(leases[1]).write() as tx:
        assert runs.get(tx, "b") is None
        runs.insert(tx, run("b"))


def test_a_write_that_began_before_its_term_was_over_is_refused(
    lakes: Lakes, database: str, stores: tuple[LakeStore, LakeStore], leases: tuple[Lease, Lease]
) -> None:
    leases[0].renew()
    with pytest.raises(LeaseLost), stores[0].under(leases[0]).write() as tx:  # noqa: PT012 - the write is what fails
        runs.insert(tx, run("a"))
        pass_on(lakes, database, leases[1])
    with stores[1].read() as tx:
        assert runs.get(tx, "a") is None


def test_a_write_without_a_lease_is_accepted(
    lakes: Lakes, database: str, stores: tuple[LakeStore, LakeStore], leases: tuple[Lease, Lease]
) -> None:
    leases[0].renew()
    with stores[1].write() as tx:
        interactions.insert(tx, [interaction("a")])
        runs.insert(tx, run("a"))


def test_what_a_step_read_in_one_term_is_not_written_in_the_next(
    lakes: Lakes, database: str, stores: tuple[LakeStore, LakeStore], leases: tuple[Lease, Lease]
) -> None:
    one, other = leases
    one.renew()
    with one.step() as leads:
        assert leads
        pass_on(lakes, database, other)
        other.stop()
        one.renew()
        one.renew()
        assert one.epoch == 3
        with pytest.raises(LeaseLost), stores[0].under(one).write() as tx:
            runs.insert(tx, run("a"))
    with one.step() as leads, stores[0].under(one).write() as tx:
        assert leads
        runs.insert(tx, run("a"))


def test_a_renewal_during_a_write_does_not_refuse_it(
    stores: tuple[LakeStore, LakeStore], leases: tuple[Lease, Lease]
) -> None:
    leases[0].renew()
    with stores[0].under(leases[0]).write() as tx:
        assert interactions.count(tx) == 0
        leases[0].renew()
        interactions.insert(tx, [interaction("a")])
        leases[0].renew()
        runs.insert(tx, run("a"))
        leases[0].renew()
    with stores[1].read() as tx:
        assert interactions.count(tx) == 1
        assert runs.get(tx, "a") is not None
