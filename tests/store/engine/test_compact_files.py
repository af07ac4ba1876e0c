import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import pytest

from monitor.domain.feedback import CandidateState
from monitor.errors import StoreUnavailable
from monitor.store.engine import compact_files, compactor
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.schema import IDS, TABLES, table_of
from monitor.store.findings import alerts, findings
from monitor.store.runs import runs
from monitor.store.sets import candidates
from monitor.store.traffic import interactions
from tests.store.build import HandClock, alert, candidate, finding, interaction, run
from tests.store.kill_compaction import ROWS
from tests.store.readable import cells


def nothing(tx: Tx) -> None:
    """Write nothing at the end of a compaction."""


def furnish(store: FileStore) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction(f"i{n}") for n in range(3000)])
        runs.insert(tx, run("run-1"))
        alerts.upsert(tx, alert("alert-1"))
        findings.insert(tx, finding("finding-1"))
        candidates.insert(tx, [candidate("cand-1")])


def count(store: FileStore) -> int:
    with store.read() as tx:
        return interactions.count(tx)


def schema(store: FileStore) -> list[tuple[str, ...]]:
    with store._cursors.lend() as cursor:
        tables = cursor.execute(
            "SELECT sql FROM duckdb_tables() UNION SELECT sql FROM duckdb_views() WHERE NOT internal"
        )
        return sorted(tables.fetchall())


def test_every_row_and_every_table_is_in_the_new_file(store: FileStore, path: Path, clock: HandClock) -> None:
    furnish(store)
    before, made_of, file = cells(store), schema(store), path.stat().st_ino
    store.compact(nothing)
    assert path.stat().st_ino != file
    assert (cells(store), schema(store)) == (before, made_of)
    store.close()
    again = Store.open(path, clock=clock)
    assert cells(again) == before
    again.close()


def test_keys_hold_in_the_new_file(store: FileStore) -> None:
    furnish(store)
    store.compact(nothing)
    with pytest.raises(duckdb.ConstraintException), store.write() as tx:
        tx.insert("run", table_of(TABLES["run"], tx.query("run_by_id", id="run-1")))
    with store.write() as tx:
        candidates.record(tx, [candidate("cand-1", state=CandidateState.ACCEPTED, decided_by="me")], [])
        assert candidates.by_ids(tx, ["cand-1"])["cand-1"].decided_by == "me"


def test_the_space_of_removed_rows_is_given_back(store: FileStore, path: Path, clock: HandClock) -> None:
    with store.write() as tx:
        rows = [interaction(f"i{n}", input_messages=(), attributes={"x": os.urandom(2000).hex()}) for n in range(4000)]
        interactions.insert(tx, rows)
    clock.seconds += 60
    assert store.checkpoint_when_idle()
    before = path.stat().st_size
    with store.write() as tx:
        gone = table_of(IDS, [{"id": f"i{n}"} for n in range(10, 4000)])
        assert tx.execute("remove_interactions", batch=gone) == 3990
    store.compact(nothing)
    assert path.stat().st_size < before * 0.6


def test_reads_and_writes_go_on_while_it_is_copied_and_wait_while_the_files_change_places(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(store)
    waiting: list[threading.Thread] = []
    seen: list[str] = []

    def write(id_: str) -> None:
        with store.write() as tx:
            interactions.insert(tx, [interaction(id_)])
        seen.append(id_)

    def while_it_is_copied(_: Tx) -> None:
        write("meanwhile")
        assert not store.compacting
        assert count(store) == 3001

    def while_all_wait(path: Path) -> None:
        waiting.extend([threading.Thread(target=write, args=("late",)), threading.Thread(target=count, args=(store,))])
        for thread in waiting:
            thread.start()
        waiting[0].join(0.1)
        assert store.compacting
        assert all(thread.is_alive() for thread in waiting)
        replace_with_copy(path)

    replace_with_copy = compact_files.replace_with_copy
    monkeypatch.setattr(compact_files, "replace_with_copy", while_all_wait)
    store.compact(while_it_is_copied)
    for thread in waiting:
        thread.join(30)
    assert seen == ["meanwhile", "late"]
    assert not store.compacting
    assert count(store) == 3002


def test_a_read_that_does_not_end_keeps_the_old_file(
    store: FileStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(store)
    monkeypatch.setattr(compactor, "SWAP_WAIT_S", 0.01)
    monkeypatch.setattr(compactor, "SWAP_PAUSE_S", 0.01)
    file = path.stat().st_ino
    with store.read() as tx:
        with pytest.raises(StoreUnavailable, match="was read during"):
            store.compact(nothing)
        assert interactions.count(tx) == 3000
    assert (path.stat().st_ino, compact_files.copy_of(path).exists()) == (file, False)
    store.compact(nothing)
    assert path.stat().st_ino != file


def test_a_long_read_is_waited_for_and_nobody_waits_long_for_it(
    store: FileStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(store)
    monkeypatch.setattr(compactor, "SWAP_WAIT_S", 0.05)
    monkeypatch.setattr(compactor, "SWAP_PAUSE_S", 0.2)
    reading, read = threading.Event(), threading.Event()

    def read_long() -> None:
        with store.read() as tx:
            interactions.count(tx)
            reading.set()
            assert read.wait(30)

    reader = threading.Thread(target=read_long)
    reader.start()
    assert reading.wait(30)
    compacting = threading.Thread(target=store.compact, args=(nothing,))
    compacting.start()
    for n in range(20):
        with store.write() as tx:
            interactions.insert(tx, [interaction(f"w{n}")])
        assert count(store) == 3001 + n
    assert compacting.is_alive()
    read.set()
    reader.join(30)
    compacting.join(60)
    assert count(store) == 3020


def test_without_room_for_the_copy_nothing_is_begun(
    store: FileStore, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    furnish(store)
    monkeypatch.setattr(compact_files, "SPARE_BYTES", 2**60)
    with pytest.raises(StoreUnavailable, match="MiB are free; free space on its disk"):
        store.compact(nothing)
    assert not compact_files.copy_of(path).exists()
    assert count(store) == 3000


def test_what_fails_in_between_leaves_everything_as_it_was(store: FileStore, path: Path) -> None:
    furnish(store)

    def fail(_: Tx) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.compact(fail)
    assert sorted(file.name for file in path.parent.iterdir()) == [path.name, f"{path.name}.mark", f"{path.name}.wal"]
    assert count(store) == 3000
    store.compact(nothing)


def test_a_table_that_driftd_did_not_make_is_not_lost(store: FileStore) -> None:
    with store._cursors.lend() as cursor:
        cursor.execute("CREATE TABLE notes (text VARCHAR)")
    with pytest.raises(StoreUnavailable, match="notes"):
        store.compact(nothing)


def test_a_stop_ends_a_compaction_and_the_next_start_can_do_it(store: FileStore, path: Path, clock: HandClock) -> None:
    furnish(store)
    with pytest.raises(StoreUnavailable, match="stopping"):
        store.compact(lambda _: store.abandon_compaction())
    assert count(store) == 3000
    store.close()
    again = Store.open(path, clock=clock)
    again.compact(nothing)
    again.close()


def test_a_link_to_the_file_stays_a_link(tmp_path: Path, clock: HandClock) -> None:
    (tmp_path / "disk").mkdir()
    link = tmp_path / "driftd.duckdb"
    link.symlink_to(tmp_path / "disk" / "driftd.duckdb")
    store = Store.open(link, clock=clock)
    furnish(store)
    store.compact(nothing)
    assert count(store) == 3000
    store.close()
    assert link.is_symlink()
    assert {file.name for file in (tmp_path / "disk").iterdir()} == {"driftd.duckdb", "driftd.duckdb.mark"}


def test_a_start_removes_what_a_killed_process_left(path: Path, clock: HandClock) -> None:
    compact_files.copy_of(path).write_bytes(b"half a copy")
    Path(f"{compact_files.copy_of(path)}.wal").write_bytes(b"its log")
    spilled = Path(f"{path}.tmp")
    spilled.mkdir()
    (spilled / "duckdb_temp_storage-0.tmp").write_bytes(b"rows that did not fit into memory")
    Store.open(path, clock=clock).close()
    assert {file.name for file in path.parent.iterdir()} == {path.name, f"{path.name}.mark"}


def test_killed_at_any_line_it_leaves_the_old_file_or_the_new_one_whole(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.store.kill_compaction", str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=200,
        check=True,
    )
    attempts = json.loads(done.stdout)
    assert len(attempts) > 10
    assert all(attempt["killed"] for attempt in attempts)
    assert {attempt["rows"] - attempt["moved"][0] + attempt["moved"][1] for attempt in attempts} == {ROWS}
    assert all(attempt["moved"] == [True, True] for attempt in attempts if attempt["acknowledged"])
    assert all(attempt["acknowledged"] for attempt in attempts if attempt["done"])
    assert {attempt["acknowledged"] for attempt in attempts if not attempt["done"]} == {False, True}
    assert {tuple(attempt["files"]) for attempt in attempts} == {("driftd.duckdb", "driftd.duckdb.mark")}
    assert [attempt["at"] for attempt in attempts if attempt["losses"]] == [], "a kill is no loss"
    swapped = [attempt["done"] for attempt in attempts]
    assert swapped == sorted(swapped), "old files first, then new ones: one moment decides"
    assert set(swapped) == {False, True}
