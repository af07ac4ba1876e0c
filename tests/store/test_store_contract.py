"""What every store does: the database file in `make test`, a lake in `make test-lake`."""

from threading import Thread

import pytest

from monitor.domain.audit import Action, AuditKind
from monitor.domain.deployment_limit import CURRENT as CURRENT_LIMIT
from monitor.domain.deployment_limit import DeploymentLimit
from monitor.errors import StoreUnavailable
from monitor.store.access import audit
from monitor.store.access.request_entry import CURRENT as CURRENT_REQUEST
from monitor.store.engine.database import Store, Tx
from monitor.store.runs import runs
from monitor.store.traffic import interactions
from tests.store.build import START, interaction, run


def stored(store: Store) -> int:
    with store.read() as tx:
        return interactions.count(tx)


def test_a_write_is_stored_as_a_whole_or_not_at_all(store: Store) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    with pytest.raises(RuntimeError, match="stop"), store.write() as tx:  # noqa: PT012 - the write is what fails
        interactions.insert(tx, [interaction("b")])
        raise RuntimeError("stop")
    assert stored(store) == 1


def test_a_write_reads_its_own_rows_of_both_kinds(store: Store) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
        assert interactions.count(tx) == 1
        runs.insert(tx, run("r"))
        assert runs.get(tx, "r") is not None
        assert interactions.count(tx) == 1


def test_a_read_sees_one_state_while_others_write(store: Store) -> None:
    with store.read() as tx:
        assert interactions.count(tx) == 0
        with store.write() as other:
            interactions.insert(other, [interaction("a")])
        assert interactions.count(tx) == 0
    assert stored(store) == 1


def test_the_number_of_a_table_grows_with_its_rows_alone(store: Store) -> None:
    def numbers() -> tuple[int, int]:
        return store.written.get("interaction", 0), store.written.get("run", 0)

    before = numbers()
    assert stored(store) == 0
    with store.write():
        pass
    assert numbers() == before
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    after = numbers()
    assert after[0] > before[0]
    with store.write() as tx:
        runs.insert(tx, run("r"))
    assert numbers()[1] > after[1]


class Request:
    """A request with an entry in the audit log."""

    def __init__(self) -> None:
        self.committed = 0

    def before_commit(self, tx: Tx) -> None:
        audit.record(tx, Action(at=START, kind=AuditKind.WRITE, operation="POST /x"))

    def after_commit(self) -> None:
        self.committed += 1


def test_the_entry_of_a_request_is_stored_with_its_rows(store: Store) -> None:
    assert store.audit_head.number == 0
    request = Request()
    token = CURRENT_REQUEST.set(request)
    try:
        with store.write() as tx:
            interactions.insert(tx, [interaction("a")])
        with store.write():
            pass
        with store.write() as tx:
            runs.insert(tx, run("r"))
    finally:
        CURRENT_REQUEST.reset(token)
    assert (request.committed, store.audit_head.number) == (2, 2)
    with store.read() as tx:
        assert audit.verify(tx, [store.audit_head]).broken is None


def test_a_limited_read_sees_only_its_deployments(store: Store) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a"), interaction("b", deployment="other")])
        runs.insert(tx, run("r", deployment="other"))
    limit = DeploymentLimit(deployments=frozenset({"other"}))
    token = CURRENT_LIMIT.set(limit)
    try:
        with store.read() as tx:
            assert interactions.count(tx) == 1
            assert runs.get(tx, "r") is not None
    finally:
        CURRENT_LIMIT.reset(token)


def test_writes_of_several_threads_are_all_stored(store: Store) -> None:
    def add(number: int) -> None:
        with store.write() as tx:
            interactions.insert(tx, [interaction(str(number))])

    threads = [Thread(target=add, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert stored(store) == 4


def test_the_tables_are_those_of_both_kinds(store: Store) -> None:
    assert {"interaction", "feedback_link", "run", "audit_entry"} <= set(store.table_names())


def test_a_closed_store_is_unavailable(store: Store) -> None:
    store.probe()
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"), store.read():
        pass
    with pytest.raises(StoreUnavailable, match="closed"), store.write():
        pass
