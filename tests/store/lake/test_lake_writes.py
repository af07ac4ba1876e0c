"""A write to a lake commits its large tables, and then its control tables."""

from contextlib import ExitStack, closing

import pytest

from monitor.errors import ConfigError, SchemaTooNew, StoreUnavailable
from monitor.store.aggregates import settled_runs
from monitor.store.engine.database import Store
from monitor.store.lake.connect import KEPT_CONNECTIONS
from monitor.store.lake.deferred import ABANDONED_S
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.lake_tx import LakeTx
from monitor.store.runs import outcomes, runs
from monitor.store.traffic import interactions
from tests.ports import free_port
from tests.store.build import HandClock, answer, at, complete_run, interaction, run, score
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


def settle_run(store: Store, run_id: str) -> None:
    with store.write() as tx:
        runs.insert(tx, complete_run(run_id, at(60)))
    with store.write() as tx:
        outcomes.append(tx, run_id, [answer("case", score(1.0))], None)
    with store.write() as tx:
        assert settled_runs.settle(tx, limit=1) == 1


def is_settled(store: Store) -> bool:
    with store.read() as tx:
        return not settled_runs.any_unsettled(tx)


def test_a_new_step_allows_large_tables_after_control_tables(lakes: Lakes, clock: HandClock) -> None:
    with lakes.new(clock, any_order=False) as store:
        with store.write() as tx:
            runs.insert(tx, run("r"))
            tx.new_step()
            interactions.insert(tx, [interaction("a")])
        with store.read() as tx:
            assert interactions.count(tx) == 1
            assert runs.get(tx, "r") is not None


def test_a_deferred_statement_follows_the_commit_of_the_large_tables(lakes: Lakes, clock: HandClock) -> None:
    with lakes.new(clock, any_order=False) as store:
        settle_run(store, "r")
        with pytest.raises(RuntimeError, match="stop"), store.write() as tx:  # noqa: PT012 - the write is what fails
            outcomes.append(tx, "r", [answer("other", score(0.0))], None)
            raise RuntimeError("stop")
        assert is_settled(store)
        with pytest.raises(RuntimeError, match="stop"), store.write() as tx:  # noqa: PT012
            outcomes.append(tx, "r", [answer("other", score(0.0))], None)
            runs.insert(tx, run("refused"))
            raise RuntimeError("stop")
        assert not is_settled(store)


def test_a_deferred_statement_of_a_killed_process_is_run_by_another(
    lakes: Lakes, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = lakes.create()
    one, other = lakes.open(name, clock), lakes.open(name, clock)
    settle_run(one, "r")
    with monkeypatch.context() as patch:
        patch.setattr(LakeTx, "_run_deferred", killed)
        with pytest.raises(SystemExit), one.write() as tx:
            outcomes.append(tx, "r", [answer("other", score(0.0))], None)
    one.close()
    assert is_settled(other), "the statements wait in the table"
    lakes.server.run("UPDATE commits.deferred_write SET stored_at = stored_at - INTERVAL '2 minutes'", name)
    clock.seconds += ABANDONED_S
    with other.write():
        pass
    assert not is_settled(other)
    assert lakes.server.run("SELECT count(*) FROM commits.deferred_write", name) == "0"
    other.close()


def test_a_deferred_statement_that_fails_does_not_refuse_writes(lakes: Lakes, clock: HandClock) -> None:
    name = lakes.create()
    broken = """{"sql": "DELETE FROM unknown", "params": {}, "batch": null}"""
    columns = "id, document, stored_at"
    waiting = f"INSERT INTO commits.deferred_write ({columns}) VALUES ('x', '{broken}', now() - INTERVAL '1 hour')"
    lakes.server.run(waiting, name)
    store = lakes.open(name, clock)
    with store.write() as tx:
        runs.insert(tx, run("r"))
    with store.read() as tx:
        assert runs.get(tx, "r") is not None
    assert lakes.server.run("SELECT count(*) FROM commits.deferred_write", name) == "1"
    store.close()


def killed(_: LakeTx) -> None:
    raise SystemExit


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
        ("DELETE FROM main.schema_migration WHERE version > 80", ConfigError, "lake init"),
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
        Store.open(url, data=lakes.data, clock=clock)


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


def test_a_store_keeps_few_connections_after_many_statements_at_once(lakes: Lakes, clock: HandClock) -> None:
    with ExitStack() as stack:
        store = stack.enter_context(closing(lakes.open(lakes.create(), clock)))
        with ExitStack() as readers:
            for _ in range(3 * KEPT_CONNECTIONS):
                tx = readers.enter_context(store.read())
                assert runs.get(tx, "r") is None
                assert interactions.count(tx) == 0
            assert sessions(lakes, store) > 2 * KEPT_CONNECTIONS
        assert sessions(lakes, store) <= 2 * KEPT_CONNECTIONS


def sessions(lakes: Lakes, store: LakeStore) -> int:
    """Return the sessions of a store in PostgreSQL."""
    sql = f"SELECT count(*) FROM pg_stat_activity WHERE application_name = '{store.session}'"
    return int(lakes.server.run(sql))
