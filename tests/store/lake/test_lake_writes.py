"""A write to a lake commits its large tables, and then its control tables."""

import pytest

from monitor.errors import ConfigError, SchemaTooNew, StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.runs import runs
from monitor.store.traffic import interactions
from tests.ports import free_port
from tests.store.build import HandClock, interaction, run
from tests.store.lake.lakes import Lakes


def test_large_tables_are_stored_when_the_control_tables_are_refused(lakes: Lakes, clock: HandClock) -> None:
    with lakes.new(clock, any_order=False) as store:
        with pytest.raises(RuntimeError, match="stop"), store.write() as tx:  # noqa: PT012 - the write is what fails
            interactions.insert(tx, [interaction("a")])
            runs.insert(tx, run("r"))
            raise RuntimeError("stop")
        with store.read() as tx:
            assert (interactions.count(tx), runs.get(tx, "r")) == (1, None)


def test_a_large_table_after_a_control_table_is_an_error(lakes: Lakes, clock: HandClock) -> None:
    with lakes.new(clock, any_order=False) as store:
        with pytest.raises(RuntimeError, match="before a large table"), store.write() as tx:  # noqa: PT012
            runs.insert(tx, run("r"))
            interactions.insert(tx, [interaction("a")])
        with store.read() as tx:
            assert (interactions.count(tx), runs.get(tx, "r")) == (0, None)


def test_a_lake_opens_with_its_rows(lakes: Lakes, clock: HandClock) -> None:
    name = lakes.create()
    first = lakes.open(name, clock)
    with first.write() as tx:
        interactions.insert(tx, [interaction("a")])
        runs.insert(tx, run("r"))
    first.close()
    again = lakes.open(name, clock)
    with again.read() as tx:
        assert interactions.count(tx) == 1
        assert runs.get(tx, "r") is not None
    again.close()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ("INSERT INTO main.schema_migration VALUES (9999, 'later', 'x', now())", SchemaTooNew, "newer driftd"),
        ("DELETE FROM main.schema_migration WHERE version > 80", ConfigError, "cannot migrate a lake"),
    ],
)
def test_a_lake_of_another_schema_is_refused(
    lakes: Lakes, clock: HandClock, change: str, error: type[Exception], message: str
) -> None:
    name = lakes.create()
    lakes.server.run(change, name)
    with pytest.raises(error, match=message):
        lakes.open(name, clock)


def test_a_lake_that_cannot_be_reached_is_unavailable(lakes: Lakes, clock: HandClock) -> None:
    url = f"postgresql://postgres@127.0.0.1:{free_port()}/lake"
    with pytest.raises(StoreUnavailable, match="cannot be opened now"):
        Store.open(url, data=str(lakes.data), clock=clock)


def test_a_store_works_again_after_its_connections_were_ended(lakes: Lakes, clock: HandClock) -> None:
    name = lakes.create()
    store = lakes.open(name, clock)
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
        runs.insert(tx, run("r"))
    ended = f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}'"
    lakes.server.run(ended)
    stored = 0
    for _ in range(10):
        try:
            with store.write() as tx:
                interactions.insert(tx, [interaction("b")])
            with store.read() as tx:
                stored = interactions.count(tx)
                assert runs.get(tx, "r") is not None
            break
        except StoreUnavailable:
            continue
    assert stored == 2
    store.close()
