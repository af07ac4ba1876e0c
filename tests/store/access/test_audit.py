"""The audit log in the store: part of the transaction, verified, pruned, compacted, and found out when it is cut."""

import shutil
from contextlib import suppress
from pathlib import Path

import duckdb
import pytest

from monitor.domain.audit import START, Action, AuditKind
from monitor.domain.audit_chain import Verification
from monitor.store.access import audit
from monitor.store.access.request_entry import CURRENT
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.pagination import PageQuery
from monitor.store.engine.watermark import mark_in
from monitor.store.traffic import interactions
from tests.store.build import HandClock, at, interaction


def action(minutes: float = 0, **given: object) -> Action:
    values: dict[str, object] = {"kind": AuditKind.WRITE, "operation": "POST /api/v1/runs", "principal": "ci (Ann)"}
    return Action(at=at(minutes), **values | given)  # type: ignore[arg-type]


def add(store: Store, *minutes: float) -> None:
    for each in minutes:
        with store.write() as tx:
            audit.record(tx, action(each))


def verified(store: Store) -> Verification:
    head = store.audit_head
    with store.read() as tx:
        return audit.verify(tx, [head])


def numbers(store: Store) -> list[int]:
    with store.read() as tx:
        return [entry.number for entry in audit.page(tx, PageQuery()).items]


def edit(path: Path, sql: str) -> None:
    """Change the closed file, as an attacker with write access to it can."""
    with duckdb.connect(path) as file:
        file.execute(sql)


def reopened(path: Path, clock: HandClock) -> Verification:
    store = Store.open(path, clock=clock)
    try:
        return verified(store)
    finally:
        store.close()


def test_an_entry_is_stored_with_its_transaction_and_only_then(store: Store) -> None:
    add(store, 0)
    with suppress(ZeroDivisionError), store.write() as tx:
        audit.record(tx, action())
        _ = 1 / 0
    add(store, 1, 2)
    assert numbers(store) == [3, 2, 1]
    assert verified(store).breaks == ()


def test_two_entries_of_one_transaction_follow_each_other(store: Store) -> None:
    with store.write() as tx:
        first, second = audit.record(tx, action()), audit.record(tx, action(1))
    assert (first.number, second.previous) == (1, first.hash)
    assert store.audit_head == second.head


def test_a_reader_appends_no_entry(store: Store) -> None:
    with store.read() as tx, pytest.raises(RuntimeError, match="needs a write transaction"):
        audit.record(tx, action())


def test_what_is_read_is_what_was_recorded(store: Store) -> None:
    given = action(status=201, deployment="support", object_id="run-1", count=3, address="10.0.0.7", request_id="req-1")
    with store.write() as tx:
        entry = audit.record(tx, given)
    with store.read() as tx:
        assert audit.page(tx, PageQuery()).items == [entry]
    assert entry.action == given


@pytest.mark.parametrize(
    ("filters", "found"),
    [
        ({"principal": "ci"}, [1]),
        ({"principal": "c"}, []),
        ({"operation": "sets"}, [2]),
        ({"kind": AuditKind.LOGIN}, [2]),
    ],
)
def test_the_list_is_filtered(store: Store, filters: dict[str, str], found: list[int]) -> None:
    with store.write() as tx:
        audit.record(tx, action())
        audit.record(tx, action(principal="ops", operation="GET /api/v1/sets/export", kind=AuditKind.LOGIN))
    with store.read() as tx:
        assert [entry.number for entry in audit.page(tx, PageQuery(), **filters).items] == found  # type: ignore[arg-type]


def test_pages_follow_each_other_at_one_instant(store: Store) -> None:
    add(store, *([0.0] * 12))
    seen: list[int] = []
    query = PageQuery(limit=5)
    with store.read() as tx:
        while True:
            page = audit.page(tx, query)
            seen += [entry.number for entry in page.items]
            if page.next_cursor is None:
                break
            query = PageQuery(limit=5, cursor=page.next_cursor)
    assert seen == list(range(12, 0, -1))


@pytest.mark.parametrize(
    ("sql", "number"),
    [
        ("UPDATE audit_entry SET principal = 'other' WHERE number = 2", 2),
        ("DELETE FROM audit_entry WHERE number = 2", 2),
        ("DELETE FROM audit_entry WHERE number >= 3", 3),
        ("DELETE FROM audit_entry", 1),
        ("INSERT INTO audit_entry SELECT * FROM audit_entry WHERE number = 3", 3),
        ("DELETE FROM audit_entry WHERE number = 4; UPDATE watermark SET audit_number = 3", 4),
    ],
)
def test_a_changed_file_is_found_at_every_later_start(
    store: Store, path: Path, clock: HandClock, sql: str, number: int
) -> None:
    add(store, 0, 1, 2, 3)
    store.close()
    edit(path, sql)
    for minutes in (4, 5):
        again = Store.open(path, clock=clock)
        found = verified(again)
        assert found.broken is not None
        assert found.broken.number == number
        add(again, minutes)
        again.close()
    found = reopened(path, clock)
    assert found.broken is not None
    assert found.broken.number == number


def test_a_killed_process_leaves_a_whole_chain(store: Store, path: Path, clock: HandClock, tmp_path: Path) -> None:
    for n in range(4):
        add(store, n)
        left = tmp_path / f"killed-{n}"
        left.mkdir()
        for part in path.parent.glob(path.name + "*"):
            shutil.copy(part, left)
        found = reopened(left / path.name, clock)
        assert (found.breaks, found.entries) == ((), n + 1)


def test_a_compaction_keeps_the_chain_with_entries_that_arrive_meanwhile(
    store: FileStore, path: Path, clock: HandClock
) -> None:
    add(store, 0, 1)

    def meanwhile(_tx: Tx) -> None:
        add(store, 2, 3)

    store.compact(meanwhile)
    add(store, 4)
    assert numbers(store) == [5, 4, 3, 2, 1]
    assert verified(store).breaks == ()
    store.close()
    assert reopened(path, clock).entries == 5


def test_removed_entries_leave_a_checkpoint_that_verifies(store: Store) -> None:
    add(store, *range(5))
    with store.write() as tx:
        assert audit.prune(tx, at(3), at(10)) == 3
    found = verified(store)
    assert (found.breaks, found.first, found.entries) == ((), 4, 3)
    add(store, 11)
    with store.write() as tx:
        assert audit.prune(tx, at(3), at(12)) == 0
        assert audit.prune(tx, None, at(12)) == 0
        assert audit.prune(tx, at(100), at(101)) == 4
    assert numbers(store) == [8]
    assert verified(store).breaks == ()


def test_entries_removed_without_a_checkpoint_are_missing(store: Store, path: Path, clock: HandClock) -> None:
    add(store, *range(5))
    with store.write() as tx:
        audit.prune(tx, at(2), at(10))
    store.close()
    edit(path, "DELETE FROM audit_entry WHERE number = 3")
    found = reopened(path, clock)
    assert found.broken is not None
    assert found.broken.reason == "entry 3 is missing"


def test_a_file_of_an_older_release_starts_its_chain(store: Store, path: Path, clock: HandClock) -> None:
    store.close()
    edit(path, "UPDATE watermark SET audit_number = NULL, audit_hash = NULL")
    again = Store.open(path, clock=clock)
    with again.read() as tx:
        mark = mark_in(tx)
    assert mark is not None
    assert mark.audit_head == START
    add(again, 0)
    assert verified(again).breaks == ()
    again.close()


class Noted:
    """The entry of a request, as the API implements it."""

    def __init__(self) -> None:
        self.commits = 0

    def before_commit(self, tx: Tx) -> None:
        audit.record(tx, action())

    def after_commit(self) -> None:
        self.commits += 1


def test_the_commit_of_a_request_contains_its_entry(store: Store) -> None:
    noted = Noted()
    before = CURRENT.set(noted)
    try:
        with store.write():
            pass
        with suppress(ZeroDivisionError), store.write() as tx:
            interactions.insert(tx, [interaction("a")])
            _ = 1 / 0
        assert (noted.commits, numbers(store)) == (0, [])
        with store.write() as tx:
            interactions.insert(tx, [interaction("a")])
    finally:
        CURRENT.reset(before)
    assert (noted.commits, numbers(store)) == (1, [1])
