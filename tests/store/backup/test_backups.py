"""Backups: consistent copies in chunks, which are transferred, verified and restored."""

import tarfile
import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.cli.db_verify import _verified
from monitor.domain.interaction import Interaction
from monitor.errors import ConfigError, Conflict, NotFound, UsageError
from monitor.store.backup.backups import BUSY, KEPT, Backups, BackupState
from monitor.store.backup.destination import destination_of
from monitor.store.backup.layout import open_backup
from monitor.store.backup.manifest import BackupDamaged, Chunk, Manifest
from monitor.store.backup.restore import restore
from monitor.store.backup.transfer import transfer
from monitor.store.engine import losses
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.store.traffic import interactions
from tests.store.build import HandClock, assistant, interaction

CHUNK = 100_000
SENTENCE = "Is 91 a prime? "


@pytest.fixture
def backups(store: FileStore, tmp_path: Path, clock: HandClock) -> Iterator[Backups]:
    add(store, 0, 40)
    made = Backups(store, tmp_path / "driftd.duckdb.backup", clock, "1.0", chunk_bytes=CHUNK)
    yield made
    made.close()


def add(store: FileStore, first: int, count: int) -> None:
    with store.write() as tx:
        interactions.insert(tx, [call(n) for n in range(first, first + count)])


def call(number: int) -> Interaction:
    return interaction(f"call-{number}", output_messages=(assistant(SENTENCE * number),))


def made_by(backups: Backups) -> Manifest:
    ordered = backups.order("anna")
    assert backups.run_ordered() == 1
    found = backups.get(ordered.id)
    assert found.error is None
    assert found.manifest is not None
    return found.manifest


def received(backups: Backups, path: Path) -> Manifest:
    manifest, place = made_by(backups), destination_of(path)
    transfer(manifest, place.begin(manifest), lambda chunk: backups.chunk(manifest.id, chunk.number), ignored)
    place.finish(manifest)
    return manifest


def ignored(_done: int) -> None:
    pass


def digests(path: Path, clock: HandClock) -> dict[str, str]:
    store = Store.open(path, clock=clock)
    try:
        with store.read() as tx:
            assert losses.unacknowledged(tx) == []
        return {name: store.scan_table(name).digest for name in store.table_names()}
    finally:
        store.close()


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_a_restored_database_has_every_row_of_the_moment_and_no_loss(
    store: FileStore, backups: Backups, tmp_path: Path, clock: HandClock, name: str
) -> None:
    before = {table: store.scan_table(table).digest for table in store.table_names()}
    manifest = received(backups, tmp_path / name)
    add(store, 100, 3)
    assert manifest.tables["interaction"] == 40
    found, layout = open_backup(tmp_path / name)
    assert found == manifest
    assert digests(restore(found, layout, tmp_path / "empty", ignored), clock) == before
    assert {entry.name for entry in (tmp_path / "empty").iterdir()} == {"driftd.duckdb", "driftd.duckdb.mark"}


def test_a_tar_file_is_one_that_tar_reads(backups: Backups, tmp_path: Path) -> None:
    received(backups, tmp_path / "a.tar")
    received_again = tmp_path / "extracted"
    with tarfile.open(tmp_path / "a.tar") as tar:
        tar.extractall(received_again, filter="data")
    assert _verified(received_again).ok
    assert (tmp_path / "a.tar").stat().st_mode & 0o077 == 0


def test_a_snapshot_contains_whole_commits_while_another_thread_writes(
    store: FileStore, backups: Backups, tmp_path: Path, clock: HandClock
) -> None:
    stop = threading.Event()

    def write() -> None:
        first = 1000
        while not stop.is_set():
            add(store, first, 7)
            first += 7

    writer = threading.Thread(target=write)
    writer.start()
    try:
        counts = []
        for n in range(3):
            manifest = received(backups, tmp_path / f"backup-{n}")
            backups.discard(manifest.id)
            counts.append(manifest.tables["interaction"] - 40)
    finally:
        stop.set()
        writer.join()
    assert [count % 7 for count in counts] == [0, 0, 0]
    assert counts == sorted(counts)
    for n in range(3):
        found, layout = open_backup(tmp_path / f"backup-{n}")
        digests(restore(found, layout, tmp_path / f"empty-{n}", ignored), clock)


@pytest.mark.parametrize("name", ["backup", "backup.tar"])
def test_an_interrupted_transfer_continues_with_the_missing_chunks(backups: Backups, tmp_path: Path, name: str) -> None:
    manifest, place = made_by(backups), destination_of(tmp_path / name)
    chunks = list(manifest.chunks())
    assert len(chunks) > 4
    fetched: list[int] = []

    def fetch(chunk: Chunk) -> bytes:
        if len(fetched) == 3:
            raise KeyboardInterrupt
        fetched.append(chunk.number)
        return backups.chunk(manifest.id, chunk.number)

    def continued(chunk: Chunk) -> bytes:
        fetched.append(chunk.number)
        return backups.chunk(manifest.id, chunk.number)

    with pytest.raises(KeyboardInterrupt):
        transfer(manifest, place.begin(manifest), fetch, ignored)
    with pytest.raises((BackupDamaged, NotFound), match="incomplete"):
        open_backup(tmp_path / name)
    again = destination_of(tmp_path / name)
    assert again.begun() == manifest
    fetched.clear()
    kept = transfer(manifest, again.begin(manifest), continued, ignored)
    again.finish(manifest)
    assert kept + len(fetched) == len(chunks)
    rest = [chunk.number for chunk in chunks[3:]]
    if name == "backup":
        assert fetched == rest
    else:  # chunks of zeros are there since the length of the tar file was set
        assert set(fetched) < set(rest)
    assert _verified(tmp_path / name).ok


def test_content_that_arrives_changed_is_not_stored(backups: Backups, tmp_path: Path) -> None:
    manifest, place = made_by(backups), destination_of(tmp_path / "backup")
    with pytest.raises(BackupDamaged, match="arrived with another SHA-256"):
        transfer(manifest, place.begin(manifest), lambda chunk: bytes(chunk.bytes), ignored)
    assert (tmp_path / "backup" / "driftd.duckdb").stat().st_size == 0


@pytest.fixture(scope="module")
def taken(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup as a folder and as a tar file."""
    folder, clock = tmp_path_factory.mktemp("taken"), HandClock()
    store = Store.open(folder / "data" / "driftd.duckdb", clock=clock)
    add(store, 0, 40)
    backups = Backups(store, folder / "copy", clock, "1.0", chunk_bytes=CHUNK)
    for name in ("backup", "backup.tar"):
        backups.discard(received(backups, folder / name).id)
    store.close()
    return folder


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_flipped_bit_anywhere_in_a_backup_is_found(taken: Path, data: st.DataObject) -> None:
    files = [taken / "backup.tar", *sorted((taken / "backup").iterdir())]
    file = data.draw(st.sampled_from(files), label="file")
    position = data.draw(st.integers(0, file.stat().st_size - 1), label="position")
    flipped = 1 << data.draw(st.integers(0, 7), label="bit")
    backup = taken / "backup.tar" if file.suffix == ".tar" else taken / "backup"
    with file.open("r+b") as content:
        content.seek(position)
        [byte] = content.read(1)
        content.seek(position)
        content.write(bytes([byte ^ flipped]))
    try:
        assert not _verified(backup).ok
    finally:
        with file.open("r+b") as content:
            content.seek(position)
            content.write(bytes([byte]))
    assert _verified(backup).ok


def test_a_file_that_is_longer_or_missing_is_found(taken: Path) -> None:
    file = taken / "backup" / "driftd.duckdb.mark"
    content = file.read_bytes()
    for changed in (content + b"x", content[:-1]):
        file.write_bytes(changed)
        assert not _verified(taken / "backup").ok
    file.unlink()
    assert not _verified(taken / "backup").ok
    file.write_bytes(content)
    assert _verified(taken / "backup").ok


def test_a_changed_backup_is_not_restored(taken: Path, tmp_path: Path) -> None:
    manifest, layout = open_backup(taken / "backup")
    file = taken / "backup" / "driftd.duckdb"
    content = file.read_bytes()
    file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(BackupDamaged, match=r"driftd\.duckdb: bytes"):
        restore(manifest, layout, tmp_path / "target", ignored)
    with pytest.raises(ConfigError, match=r"the restore of .* is not complete"):
        Store.open(tmp_path / "target" / "driftd.duckdb", clock=HandClock())
    file.write_bytes(content)
    path = restore(manifest, layout, tmp_path / "target", ignored)
    Store.open(path, clock=HandClock()).close()


def test_a_restore_that_was_killed_at_any_point_continues_or_starts_again(taken: Path, tmp_path: Path) -> None:
    manifest, layout = open_backup(taken / "backup.tar")
    total = len(list(manifest.chunks()))
    target = tmp_path / "target"
    for killed_after in (1, 2, total // 2, total):
        seen: list[int] = []

        def kill(done: int, seen: list[int] = seen, after: int = killed_after) -> None:
            seen.append(done)
            if len(seen) == after:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            restore(manifest, layout, target, kill)
        with pytest.raises(ConfigError, match="run the same `driftd db restore` again"):
            Store.open(target / "driftd.duckdb", clock=HandClock())
    (target / "driftd.duckdb.mark.restoring").rename(target / "driftd.duckdb.mark")  # killed between two renames
    path = restore(manifest, layout, target, ignored)
    Store.open(path, clock=HandClock()).close()


@pytest.mark.parametrize("name", ["driftd.duckdb", "driftd.duckdb.mark", "notes.txt"])
def test_a_folder_with_other_files_is_refused_and_unchanged(taken: Path, tmp_path: Path, name: str) -> None:
    manifest, layout = open_backup(taken / "backup")
    (tmp_path / name).write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        restore(manifest, layout, tmp_path, ignored)
    assert [entry.name for entry in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_place_with_other_content_receives_no_backup(taken: Path, tmp_path: Path) -> None:
    for place in (taken / "backup", taken / "backup.tar"):
        with pytest.raises(UsageError, match="name another f"):
            destination_of(place).begun()
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match="is not empty"):
        destination_of(tmp_path).begun()


def test_a_manifest_with_a_path_outside_its_folder_is_refused(taken: Path, tmp_path: Path) -> None:
    text = (taken / "backup" / "manifest.json").read_text()
    (tmp_path / "manifest.json").write_text(text.replace('"driftd.duckdb"', '"../driftd.duckdb"'))
    with pytest.raises(BackupDamaged):
        open_backup(tmp_path)


def test_one_backup_at_a_time_until_no_one_reads_it(backups: Backups, clock: HandClock) -> None:
    first = backups.order("anna")
    with pytest.raises(Conflict, match="of anna is copying"):
        backups.order("bert")
    assert backups.order("anna") == first, "a command that was killed and runs again"
    backups.run_ordered()
    with pytest.raises(Conflict, match="of anna is ready"):
        backups.order("bert")
    clock.seconds += BUSY.total_seconds()
    second = backups.order("bert")
    with pytest.raises(NotFound, match="order a new one"):
        backups.get(first.id)
    assert backups.get(second.id).state is BackupState.COPYING
    backups.run_ordered()
    assert backups.order("bert").id != second.id


def test_the_copy_is_removed_after_its_read_an_hour_or_a_restart(
    store: FileStore, backups: Backups, clock: HandClock, tmp_path: Path
) -> None:
    folder = tmp_path / "driftd.duckdb.backup"
    backups.discard(made_by(backups).id)
    assert [entry for entry in folder.rglob("*") if entry.is_file()] == []
    manifest = made_by(backups)
    clock.seconds += KEPT.total_seconds() - 1
    backups.run_ordered()
    backups.get(manifest.id)
    clock.seconds += KEPT.total_seconds() - 1
    backups.run_ordered()
    assert (folder / manifest.id / "driftd.duckdb").exists()
    clock.seconds += 1
    backups.run_ordered()
    assert not folder.exists()
    made_by(backups)
    Backups(store, folder, clock, "1.0")
    assert not folder.exists()


def test_a_copy_that_fails_says_why_and_leaves_nothing(store: FileStore, tmp_path: Path, clock: HandClock) -> None:
    (tmp_path / "file").write_text("")
    backups = Backups(store, tmp_path / "file" / "below", clock, "1.0")
    ordered = backups.order("anna")
    assert backups.run_ordered() == 1
    failed = backups.get(ordered.id)
    assert (failed.state, "Not a directory" in str(failed.error)) == (BackupState.FAILED, True)
    with pytest.raises(NotFound, match="has no chunk 0"):
        backups.chunk(ordered.id, 0)


def test_a_stop_ends_the_copy(store: FileStore, tmp_path: Path, clock: HandClock) -> None:
    backups = Backups(store, tmp_path / "copy", clock, "1.0")
    ordered = backups.order("anna")
    store.abandon_compaction()
    backups.run_ordered()
    assert "driftd is stopping" in str(backups.get(ordered.id).error)
    assert not (tmp_path / "copy").exists()


def test_times_of_the_manifest_survive(backups: Backups, clock: HandClock) -> None:
    assert made_by(backups).created_at == clock.now() - timedelta(0)
