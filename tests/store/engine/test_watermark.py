"""A start detects that the database lacks acknowledged transactions."""

import shutil
from dataclasses import replace
from pathlib import Path

import duckdb
import pytest

from monitor.domain.loss import Loss, LossReason
from monitor.errors import ConfigError
from monitor.store.engine import losses
from monitor.store.engine.commit_mark import SLOT, mark_of, read_mark
from monitor.store.engine.connect import log_of
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.pagination import PageQuery
from monitor.store.engine.watermark import compare, mark_in
from monitor.store.traffic import interactions
from tests.store.build import START, HandClock, at, interaction


def add(store: FileStore, *ids: str) -> None:
    for id_ in ids:
        with store.write() as tx:
            interactions.insert(tx, [interaction(id_)])


def found(store: FileStore) -> list[Loss]:
    with store.read() as tx:
        return losses.unacknowledged(tx)


def copied(path: Path, folder: Path) -> Path:
    """Copy the files as a kill at this moment would leave them."""
    folder.mkdir()
    for part in path.parent.glob(path.name + "*"):
        shutil.copy(part, folder)
    return folder / path.name


def reopened(path: Path, clock: HandClock) -> list[Loss]:
    store = Store.open(path, clock=clock)
    try:
        return found(store)
    finally:
        store.close()


def test_nothing_is_missing_after_a_close_or_a_kill(
    store: FileStore, path: Path, clock: HandClock, tmp_path: Path
) -> None:
    assert found(store) == []
    for n in range(5):
        add(store, f"a{n}")
        assert reopened(copied(path, tmp_path / f"killed-{n}"), clock) == []
    store.close()
    assert reopened(path, clock) == []


def test_a_log_that_was_removed_is_found_with_its_count_and_its_time(
    store: FileStore, path: Path, clock: HandClock, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    add(store, "a")
    clock.seconds = 60
    assert store.checkpoint_when_idle()
    clock.seconds = 120
    add(store, "b", "c", "d")
    left = copied(path, tmp_path / "left")
    log_of(left).unlink()
    [loss] = reopened(left, clock)
    assert (loss.reason, loss.commits) == (LossReason.FEWER, 3)
    assert (loss.since, loss.until) == (at(0), at(2))
    assert "3 acknowledged transactions with" in caplog.text
    assert "driftd db acknowledge" in caplog.text


def test_a_log_that_was_cut_by_a_byte_is_found(store: FileStore, path: Path, clock: HandClock, tmp_path: Path) -> None:
    add(store, "a", "b")
    left = copied(path, tmp_path / "left")
    content = log_of(left).read_bytes()
    log_of(left).write_bytes(content[:-1])
    [loss] = reopened(left, clock)
    assert (loss.reason, loss.commits) == (LossReason.FEWER, 1)


def test_a_loss_is_found_once_and_waits_for_its_acknowledgement(
    store: FileStore, path: Path, clock: HandClock, tmp_path: Path
) -> None:
    add(store, "a", "b")
    left = copied(path, tmp_path / "left")
    log_of(left).write_bytes(log_of(left).read_bytes()[:-1])
    assert [len(reopened(left, clock)) for _ in range(3)] == [1, 1, 1]
    store = Store.open(left, clock=clock)
    add(store, "later")
    with store.write() as tx:
        assert losses.acknowledge(tx, who="anna", note="restored", now=clock.now()) == 1
    assert found(store) == []
    with store.read() as tx:
        [loss] = losses.page(tx, PageQuery()).items
    assert (loss.acknowledged_by, loss.note, loss.acknowledged_at) == ("anna", "restored", START)
    store.close()
    assert reopened(left, clock) == []


def test_an_older_copy_is_a_loss_and_with_its_own_mark_it_is_none(
    store: FileStore, path: Path, clock: HandClock, tmp_path: Path
) -> None:
    add(store, "a")
    backup = copied(path, tmp_path / "backup")
    add(store, "b", "c")
    store.close()
    for part in (path, log_of(path)):
        part.unlink(missing_ok=True)
    newer = mark_of(path).read_bytes()
    for part in backup.parent.iterdir():
        shutil.copy(part, path.parent)
    assert reopened(path, clock) == []
    for part in backup.parent.iterdir():
        shutil.copy(part, path.parent)
    mark_of(path).write_bytes(newer)
    assert [loss.commits for loss in reopened(path, clock)] == [2]


def test_without_the_file_nothing_can_be_said_and_that_is_said(store: FileStore, path: Path, clock: HandClock) -> None:
    add(store, "a")
    store.close()
    mark_of(path).unlink()
    assert [loss.reason for loss in reopened(path, clock)] == [LossReason.UNKNOWN]
    mark_of(path).write_bytes(b"\xff" * 2 * SLOT)
    assert [loss.reason for loss in reopened(path, clock)] == [LossReason.UNKNOWN, LossReason.UNKNOWN]


def test_a_new_database_in_the_place_of_another_is_found(store: FileStore, path: Path, clock: HandClock) -> None:
    add(store, "a", "b")
    store.close()
    path.unlink()
    log_of(path).unlink(missing_ok=True)
    [loss] = reopened(path, clock)
    assert (loss.reason, loss.commits) == (LossReason.REPLACED, 2)


def test_a_slot_that_was_cut_leaves_the_one_before(store: FileStore, path: Path) -> None:
    add(store, "a", "b")
    whole = read_mark(path)
    assert whole is not None
    content = bytearray(mark_of(path).read_bytes())
    newest = whole.commits % 2 * SLOT
    content[newest + 50] ^= 1
    mark_of(path).write_bytes(content)
    before = read_mark(path)
    assert before is not None
    assert before.commits == whole.commits - 1


def test_a_write_without_rows_counts_nothing(store: FileStore, path: Path) -> None:
    add(store, "a")
    before = read_mark(path)
    with store.write():
        pass
    add(store, "a")
    assert read_mark(path) == before


def test_a_compaction_keeps_the_count(store: FileStore, path: Path, clock: HandClock, tmp_path: Path) -> None:
    add(store, "a", "b")
    store.compact(lambda tx: None)
    add(store, "c")
    with store.read() as tx:
        assert mark_in(tx) == read_mark(path)
    assert reopened(copied(path, tmp_path / "killed"), clock) == []


def test_a_mark_that_is_behind_is_no_loss(store: FileStore, path: Path, clock: HandClock) -> None:
    add(store, "a")
    mark = read_mark(path)
    assert mark is not None
    assert compare(mark, replace(mark, commits=mark.commits - 1), START) is None


@pytest.mark.parametrize(
    "made", ["CREATE TABLE orders (id INTEGER)", "CREATE VIEW v AS SELECT 1", "CREATE TABLE schema_migration (x INT)"]
)
def test_a_database_of_another_program_is_refused_and_stays_as_it_is(path: Path, clock: HandClock, made: str) -> None:
    with duckdb.connect(path) as other:
        other.execute(made)
        other.execute("CREATE TABLE customers (id INTEGER)")
    before = path.read_bytes()
    with pytest.raises(ConfigError, match=r"is the database of another program .*customers.*name another file"):
        Store.open(path, clock=clock)
    assert path.read_bytes() == before
    assert not mark_of(path).exists()
