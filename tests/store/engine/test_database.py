import subprocess
import sys
import threading
from datetime import UTC
from pathlib import Path

import duckdb
import pytest

from monitor.errors import ConfigError, DriftdError, StoreLocked, StoreUnavailable
from monitor.store.engine import file_store
from monitor.store.engine.connect import connect
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.schema import TABLES, table_of
from monitor.store.runs import runs
from monitor.store.traffic import interactions
from tests.store.build import START, HandClock, at, interaction


def in_another_process(script: str, path: Path) -> str:
    """Run a script with `path` as its argument and give what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_what_was_written_is_there_after_closing_and_opening_again(
    store: FileStore, path: Path, clock: HandClock
) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    store.close()
    reopened = Store.open(path, clock=clock)
    with reopened.read() as tx:
        assert interactions.get(tx, "a") == interaction("a")
    reopened.close()


def test_a_committed_write_survives_a_process_that_never_closes(path: Path, clock: HandClock) -> None:
    script = """
import os, sys
from pathlib import Path
from monitor.store.traffic import interactions
from monitor.store.engine.connect import connect
from monitor.store.engine.database import Store
from tests.store.build import HandClock, interaction
store = Store.open(Path(sys.argv[1]), clock=HandClock())
with store.write() as tx:
    interactions.insert(tx, [interaction("a")])
os._exit(0)
"""
    in_another_process(script, path)
    store = Store.open(path, clock=clock)
    with store.read() as tx:
        assert interactions.count(tx) == 1
    store.close()


def test_an_exception_in_a_write_leaves_nothing(store: FileStore) -> None:
    def fail_in_the_middle() -> None:
        with store.write() as tx:
            interactions.insert(tx, [interaction("a")])
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_in_the_middle()
    with store.read() as tx:
        assert interactions.count(tx) == 0


def test_after_a_statement_that_fails_the_next_write_works(store: FileStore) -> None:
    with pytest.raises(duckdb.BinderException), store.write() as tx:
        tx.insert("interaction", table_of(TABLES["alert"], []))
    with store.write() as tx:
        assert interactions.insert(tx, [interaction("a")]).accepted == 1


def test_a_read_goes_on_during_a_write_and_does_not_see_it(store: FileStore) -> None:
    with store.write() as writing:
        interactions.insert(writing, [interaction("a")])
        with store.read() as reading:
            assert interactions.count(reading) == 0


def test_a_read_sees_one_state_from_its_begin_to_its_end(store: FileStore) -> None:
    with store.read() as reading:
        assert interactions.count(reading) == 0
        with store.write() as writing:
            interactions.insert(writing, [interaction("a")])
        assert interactions.count(reading) == 0


def test_a_read_cannot_write(store: FileStore) -> None:
    with pytest.raises(duckdb.Error, match="read-only"), store.read() as tx:
        interactions.insert(tx, [interaction("a")])


def test_check_and_insert_lets_one_of_many_threads_through(store: FileStore) -> None:
    won = []

    def claim() -> None:
        with store.write() as tx:
            won.append(runs.record_instant(tx, "nightly", "support", START, START))

    threads = [threading.Thread(target=claim) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(won) == [False] * 7 + [True]


def test_timestamps_come_back_aware_and_in_utc(store: FileStore) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction("a", started_at=at(0.001))])
        found = interactions.get(tx, "a")
    assert found is not None
    assert found.started_at == at(0.001)
    assert found.started_at.tzinfo is UTC


def test_a_second_process_is_told_that_the_file_is_in_use(store: FileStore, path: Path) -> None:
    script = """
import sys
from pathlib import Path
from monitor.errors import StoreLocked
from monitor.store.engine.connect import connect
from monitor.store.engine.database import Store
from tests.store.build import HandClock
try:
    Store.open(Path(sys.argv[1]), clock=HandClock())
except StoreLocked as error:
    print(error)
"""
    result = in_another_process(script, path).strip()
    assert result == f"{path} is in use by another process; use the API of that process (--url), or stop it"
    assert StoreLocked.exit_code == 2


def test_the_folder_of_a_new_file_is_made(tmp_path: Path, clock: HandClock) -> None:
    path = tmp_path / "data" / "night" / "driftd.duckdb"
    Store.open(path, clock=clock).close()
    assert path.is_file()


@pytest.mark.parametrize("content", [b"this is no database" * 1000, b"short"])
def test_a_file_that_is_no_database_is_a_sentence_with_its_path(path: Path, clock: HandClock, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=r"store.path: .*driftd.duckdb cannot be opened"):
        Store.open(path, clock=clock)


def test_a_folder_that_cannot_be_made_is_a_sentence_with_its_path(tmp_path: Path, clock: HandClock) -> None:
    (tmp_path / "data").write_text("a file where a folder should be")
    with pytest.raises(ConfigError, match=r"store.path: the folder of .* cannot be created"):
        Store.open(tmp_path / "data" / "driftd.duckdb", clock=clock)


def test_a_closed_store_says_so_and_closes_twice(store: FileStore) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreUnavailable, match="is closed"), store.read():
        pass
    with pytest.raises(StoreUnavailable, match="is closed"), store.write():
        pass


def test_closing_waits_for_a_read_that_is_open(store: FileStore) -> None:
    closing = threading.Thread(target=store.close)
    with store.read() as tx:
        closing.start()
        assert interactions.count(tx) == 0
        assert closing.is_alive()
    closing.join(timeout=30)
    assert not closing.is_alive()


def test_a_checkpoint_waits_until_nobody_has_written_for_a_minute(
    store: FileStore, path: Path, clock: HandClock
) -> None:
    log = path.with_name(path.name + ".wal")
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    assert log.exists()
    clock.seconds += file_store.IDLE_S - 1
    assert not store.checkpoint_when_idle()
    clock.seconds += 1
    assert store.checkpoint_when_idle()
    assert not log.exists() or log.stat().st_size == 0


def test_a_store_without_a_quiet_minute_is_checkpointed_after_an_hour(store: FileStore, clock: HandClock) -> None:
    clock.seconds += file_store.MAX_BUSY_S
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
    assert store.checkpoint_when_idle()
    with store.write() as tx:
        interactions.insert(tx, [interaction("b")])
    assert not store.checkpoint_when_idle()


def test_in_a_quiet_minute_row_groups_are_put_together(store: FileStore, clock: HandClock) -> None:
    for number in range(20):
        with store.write() as tx:
            interactions.insert(tx, [interaction(str(number))])
        if number < 19:  # as DuckDB does by itself when its log is long
            with store._cursors.lend() as cursor:
                cursor.execute("CHECKPOINT")
    before = row_groups(store)
    clock.seconds += file_store.IDLE_S
    assert store.checkpoint_when_idle()
    assert row_groups(store) <= 2 < before


def row_groups(store: FileStore) -> int:
    with store._cursors.lend() as cursor:
        counted = "SELECT count(DISTINCT row_group_id) FROM pragma_storage_info('interaction')"
        [(groups,)] = cursor.execute(counted).fetchall()
    return int(groups)


def test_without_new_rows_there_is_nothing_to_checkpoint(store: FileStore, clock: HandClock) -> None:
    clock.seconds += file_store.IDLE_S
    assert store.checkpoint_when_idle()
    with store.write() as tx:
        interactions.insert(tx, [])
    clock.seconds += file_store.IDLE_S
    assert not store.checkpoint_when_idle()


def test_a_checkpoint_does_not_wait_for_a_write_in_progress(store: FileStore, clock: HandClock) -> None:
    clock.seconds += file_store.IDLE_S
    with store.write():
        assert not store.checkpoint_when_idle()


FULL_DISK = """
import os, resource, sys
from dataclasses import replace
from pathlib import Path
from monitor.errors import StoreUnavailable
from monitor.store.traffic import interactions
from monitor.store.engine.connect import connect
from monitor.store.engine.database import Store
from tests.store.build import HandClock, interaction, user

path, clock = Path(sys.argv[1]), HandClock()
unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)

def limit(size):  # what a full disk does to the file: it cannot grow
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, unlimited[1]))

def rows(batch):
    return [interaction(f"{batch}-{n}", input_messages=(user(os.urandom(500).hex()),)) for n in range(500)]

def write(batch):
    with store.write() as tx:
        interactions.insert(tx, rows(batch))

def count():
    with store.read() as tx:
        return interactions.count(tx)
"""


def test_a_full_disk_fails_the_write_leaves_nothing_of_it_and_the_next_one_works(path: Path) -> None:
    script = (
        FULL_DISK
        + """
store = Store.open(path, clock=clock)
write("before")
limit(path.with_name(path.name + ".wal").stat().st_size + 10_000)
try:
    write("full")
except StoreUnavailable as error:
    print("refused", str(path) in str(error))
print(count())
limit(unlimited[0])
write("after")
print(count())
store.close()
store = Store.open(path, clock=clock)
print(count())
"""
    )
    assert in_another_process(script, path).split("\n")[:4] == ["refused True", "500", "1000", "1000"]


def test_after_a_checkpoint_that_killed_the_instance_the_file_is_opened_anew(path: Path) -> None:
    script = (
        FULL_DISK
        + """
store = Store.open(path, clock=clock)
write("before")
clock.seconds += 60
limit(path.stat().st_size)
try:
    store.checkpoint_when_idle()
except StoreUnavailable as error:
    print("refused", str(path) in str(error))
limit(unlimited[0])
print(count())
write("after")
clock.seconds += 60
print(store.checkpoint_when_idle(), count())
"""
    )
    assert in_another_process(script, path).split("\n")[:3] == ["refused True", "500", "True 1000"]


def test_every_way_to_fail_opening_leaves_with_exit_code_two() -> None:
    errors: list[type[DriftdError]] = [ConfigError, StoreLocked]
    assert {error.exit_code for error in errors} == {2}


def test_a_long_statement_writes_no_progress_bar_into_the_log(path: Path) -> None:
    connection = connect(path, 512, START)
    try:
        assert connection.cursor().execute("SELECT current_setting('enable_progress_bar')").fetchone() == (False,)
    finally:
        connection.close()
