"""Writes during a compaction: the new file has the same rows as the old file would have."""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings

from monitor.domain.compaction import Compaction, CompactionKind
from monitor.errors import StoreUnavailable
from monitor.store.engine import copy as copying
from monitor.store.engine.change_log import Journal
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.statements import SQL_FOLDER, statement
from monitor.store.maintenance import compactions
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.traffic import interactions
from tests.store.build import START, HandClock, interaction, user
from tests.store.readable import where_in_tables, where_on_disk
from tests.store.workload import (
    Step,
    alarm,
    calls,
    decide,
    erase,
    join,
    link,
    propose,
    signals,
    start,
    steps,
    texts,
    write,
)

CHANGING = re.compile(r"^\s*(INSERT|UPDATE|DELETE)", re.MULTILINE)
NEVER_THE_SAME = re.compile(
    r"\b(now\(|current_timestamp|current_date|today\(|random|uuid|nextval|returning|using sample)", re.IGNORECASE
)
Rows = dict[str, list[tuple[Any, ...]]]


def rows(store: FileStore) -> Rows:
    """Return every row of every table, sorted, because a table has no order."""
    with store._cursors.lend() as cursor:
        tables = cursor.execute("SELECT table_name FROM duckdb_tables()").fetchall()
        found = {name: cursor.sql(f'SELECT * FROM "{name}"').to_arrow_table().to_pylist() for (name,) in tables}
    for row in found["watermark"]:
        del row["database_id"]  # each file has its own
    return {name: sorted((tuple(row.items()) for row in held), key=repr) for name, held in found.items()}


@contextmanager
def between_tables(monkeypatch: pytest.MonkeyPatch, do: Callable[[], None]) -> Iterator[None]:
    """Call `do` before each table is copied, after the snapshot was taken."""
    copy_table = copying._copy_table

    def first_do(*args: Any) -> None:
        do()
        copy_table(*args)

    with monkeypatch.context() as patched:
        patched.setattr(copying, "_copy_table", first_do)
        yield


@settings(max_examples=25, deadline=None)
@given(before=steps, meanwhile=steps, late=steps)
def test_the_new_file_holds_what_the_old_one_would(before: list[Step], meanwhile: list[Step], late: list[Step]) -> None:
    with TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as monkeypatch:
        compacted, plain = (Store.open(Path(folder) / name, clock=HandClock()) for name in ("a.duckdb", "b.duckdb"))
        for step in before:
            write(compacted, step)
        left = iter(meanwhile)

        def one_more() -> None:
            if step := next(left, None):
                write(compacted, step)

        def the_rest(_: Tx) -> None:
            for step in [*left, *late]:
                write(compacted, step)

        with between_tables(monkeypatch, one_more):
            compacted.compact(the_rest)
        for step in [*before, *meanwhile, *late]:
            write(plain, step)
        assert rows(compacted) == rows(plain)
        compacted.close()
        plain.close()


def test_writes_of_other_threads_and_checkpoints_go_on_while_the_file_is_copied(store: FileStore) -> None:
    """The log is so short that both files are checkpointed every few commits."""
    with store._cursors.lend() as cursor:
        cursor.execute("SET GLOBAL checkpoint_threshold = '20KB'")
    acknowledged: list[int] = []
    stop = threading.Event()

    def keep_writing(kinds: Sequence[Callable[[Tx, int], None]]) -> None:
        for n in count():
            if stop.is_set():
                return
            for kind in kinds:
                write(store, (kind, n))
            acknowledged.append(n)

    writers = [
        threading.Thread(target=keep_writing, args=((calls, texts, join),)),
        threading.Thread(target=keep_writing, args=((signals, link, propose, decide, start, alarm),)),
    ]
    for writer in writers:
        writer.start()
    for _ in range(4):
        store.compact(lambda _: None)
    stop.set()
    for writer in writers:
        writer.join(60)
    held = rows(store)
    for table, column in {"interaction": "id", "feedback": "id", "run": "id", "candidate": "id"}.items():
        ids = [dict(row)[column] for row in held[table]]
        assert len(ids) == len(set(ids)) > 0
    assert {f"i{n}" for n in acknowledged} <= {dict(row)["id"] for row in held["interaction"]}


def test_a_write_that_fails_meanwhile_is_in_neither_file(store: FileStore) -> None:
    def write_in_vain() -> None:
        with store.write() as tx:
            interactions.insert(tx, [interaction("never")])
            raise ZeroDivisionError

    def fail(_: Tx) -> None:
        with pytest.raises(ZeroDivisionError):
            write_in_vain()

    store.compact(fail)
    with store.read() as tx:
        assert interactions.count(tx) == 0


def test_who_is_erased_while_the_file_is_copied_goes_with_the_next_compaction(store: FileStore, path: Path) -> None:
    words = "the words of anna"
    with store.write() as tx:
        interactions.insert(tx, [interaction("i", user_id="anna", input_messages=(user(words),))])
        compactions.insert(tx, order("first"))

    def erase_meanwhile(tx: Tx) -> None:
        compactions.finish(tx, START)
        with store.write() as other:
            erase_user(other, "anna", START)
            compactions.insert(other, order("second"))

    store.compact(erase_meanwhile)
    assert where_in_tables(store, words) == set()
    with store.read() as tx:
        assert [item.id for item in compactions.open_orders(tx)] == ["second"], "its bytes are still in the file"
    store.compact(lambda tx: compactions.finish(tx, START))
    with store.read() as tx:
        assert compactions.open_orders(tx) == []
    assert where_on_disk(path, words) == set()


def order(id_: str) -> Compaction:
    return Compaction(id=id_, kind=CompactionKind.ERASE, at=START, who="me", removed={"interaction": 1})


def test_a_write_does_not_fail_when_it_cannot_be_brought_over(
    store: FileStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full for the journal: the compaction fails, and the old file stays in use."""
    file = path.stat().st_ino

    def fill_the_disk(_: Tx) -> None:
        assert store._writes.journal is not None
        store._writes.journal._file.close()
        write(store, (calls, 1))

    with pytest.raises(StoreUnavailable, match="changes during the copy could not be recorded"):
        store.compact(fill_the_disk)
    with store.read() as tx:
        assert interactions.count(tx) == 3
    assert path.stat().st_ino == file


def test_a_copy_that_comes_out_otherwise_is_not_put_in_place(store: FileStore, path: Path) -> None:
    write(store, (calls, 1))
    file = path.stat().st_ino

    def differ(tx: Tx) -> None:
        tx.execute("remove_refreshes", name="none")
        tx._cursor.execute("DELETE FROM interaction WHERE id = 'i1'")

    with pytest.raises(RuntimeError, match="2 rows of interaction, the old one 3"):
        store.compact(differ)
    assert path.stat().st_ino == file


def test_a_journal_gives_back_what_it_was_given_in_its_order(store: FileStore, path: Path) -> None:
    journal = Journal(path)
    store._writes.journal = journal
    for step in ((calls, 1), (signals, 2), (erase, 1)):
        write(store, step)
    store._writes.journal = None
    taken = [journal.take() for _ in range(len(journal))]
    journal.close()
    assert [changes[-1].sql for changes in taken] == [statement("set_watermark")] * 3
    assert [change.rows for changes in taken for change in changes[:-1]] == [3, 2, 3]
    batch = taken[0][0].batch
    assert batch is not None
    assert batch["id"].to_pylist() == ["i1", "i2", "i3"]


def test_statements_that_change_rows_do_the_same_again() -> None:
    """They are repeated in the copy: none may depend on the time or on random numbers, or change rows in a query."""
    changing = [path for path in SQL_FOLDER.glob("*.sql") if CHANGING.search(path.read_text())]
    assert len(changing) > 50
    assert [path.name for path in changing if NEVER_THE_SAME.search(path.read_text())] == []
