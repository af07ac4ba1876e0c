"""`driftd lake import` of a database file into a lake, on a real PostgreSQL server."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from monitor.clock import Clock
from monitor.domain.audit import START as FIRST_ENTRY
from monitor.errors import ConfigError, UsageError
from monitor.store.backup import parquet
from monitor.store.backup.backups import Backups, Order
from monitor.store.backup.manifest import NAME, PARQUET, BackupDamaged
from monitor.store.engine.commit_mark import mark_of
from monitor.store.lake.checks import check_lake
from monitor.store.lake.imports import copy
from monitor.store.lake.large_tables import LARGE
from monitor.store.lake.status import lake_status
from monitor.store.runs import runs
from monitor.store.traffic import interactions, source_positions
from tests.store.build import HandClock, interaction, run
from tests.store.lake.imports.build import CALLS, compared, different, filled, imported, opened
from tests.store.lake.lakes import Lakes
from tests.store.traffic.test_source_positions import moved, stored


@pytest.fixture
def file(path: Path, clock: HandClock) -> Path:
    return filled(path, clock)


@pytest.fixture
def name(lakes: Lakes) -> str:
    """The database of an empty lake."""
    return lakes.create()


def test_every_row_is_in_the_lake_and_sources_continue(lakes: Lakes, name: str, file: Path, clock: HandClock) -> None:
    result = imported(lakes, name, file, clock)
    tables = {one.table: one for one in result.tables}
    assert result.equal
    assert (tables["interaction"].rows_in_lake, tables["run"].rows_in_lake) == (CALLS, 2)
    assert result.added == sum(one.rows for one in result.tables)
    assert tables.keys() >= LARGE
    assert different(lakes, name, file) == {}
    store = lakes.open(name, clock)
    assert stored(store) == {("t-1", 0): CALLS}
    assert {*store.table_names()} == {*tables, "schema_migration"}
    with store.write() as tx:
        interactions.insert(tx, [interaction("new")])
        source_positions.move(tx, [moved(CALLS, CALLS + 1)])
    store.close()
    assert different(lakes, name, file).keys() == {"interaction", "kafka_offset"}


def test_a_second_import_changes_nothing(lakes: Lakes, name: str, file: Path, clock: HandClock) -> None:
    imported(lakes, name, file, clock)
    again = imported(lakes, name, file, clock)
    assert (again.continued, again.added, again.equal) == (True, 0, True)


def test_a_lake_with_rows_is_refused(lakes: Lakes, name: str, file: Path, clock: HandClock) -> None:
    store = lakes.open(name, clock)
    with store.write() as tx:
        runs.insert(tx, run("own"))
    store.close()
    with pytest.raises(ConfigError, match=r"has rows \(in run\)"):
        imported(lakes, name, file, clock)
    lakes.open(name, clock).close()


def test_a_lake_in_use_is_refused(
    lakes: Lakes, name: str, file: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = lakes.open(name, clock)
    with pytest.raises(ConfigError, match="stop them before its import"):
        imported(lakes, name, file, clock)
    with monkeypatch.context() as patch:  # it was opened between the first question and the begin
        patch.setattr("monitor.store.lake.alone.require_no_others", lambda *_: None)
        with pytest.raises(ConfigError, match="stop them before its import"):
            imported(lakes, name, file, clock)
    store.close()
    lakes.open(name, clock).close()
    assert imported(lakes, name, file, clock).equal


def stop_after(batches: int, patch: pytest.MonkeyPatch) -> None:
    """Let an import end before the commit of the next batch, as after a kill."""
    original, left = copy._Copy._store, [batches]

    def store(self: copy._Copy, *given: object) -> int:
        if not left[0]:
            raise SystemExit
        left[0] -= 1
        return original(self, *given)  # type: ignore[arg-type]

    patch.setattr(copy._Copy, "_store", store)


def interrupted(lakes: Lakes, name: str, file: Path, clock: Clock, batches: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        stop_after(batches, patch)
        with pytest.raises(SystemExit):
            imported(lakes, name, file, clock)


@pytest.mark.parametrize("batches", [0, 1, 2, 5])
def test_an_interrupted_import_continues_and_no_process_opens_the_lake(
    lakes: Lakes, name: str, file: Path, clock: HandClock, batches: int
) -> None:
    interrupted(lakes, name, file, clock, batches)
    with pytest.raises(ConfigError, match=f"the import of {file} into the lake is unfinished; run `driftd lake import"):
        lakes.open(name, clock)
    failed = {one.check: one.sentence for one in check_lake(lakes.server.url(name), lakes.data) if one.state == "fail"}
    assert "unfinished" in failed["import"]
    assert lake_status(lakes.server.url(name), lakes.data).import_ended_at is None
    result = imported(lakes, name, file, clock)
    assert (result.continued, result.equal) == (True, True)
    status = lake_status(lakes.server.url(name), lakes.data)
    assert (status.import_of, status.import_ended_at) == (str(file), clock.now())
    lakes.open(name, clock).close()


def test_a_changed_source_is_refused(lakes: Lakes, name: str, file: Path, clock: HandClock, tmp_path: Path) -> None:
    untouched = tmp_path / "copy" / file.name
    shutil.copytree(file.parent, untouched.parent, ignore=lambda *_: ["copy"])
    interrupted(lakes, name, file, clock, 1)
    with opened(file, clock) as store, store.write() as tx:
        runs.insert(tx, run("late"))
    with pytest.raises(ConfigError, match="was changed since it began at"):
        imported(lakes, name, file, clock)
    assert imported(lakes, name, untouched, clock).equal
    with pytest.raises(ConfigError, match="already; another file needs another lake"):
        imported(lakes, name, file, clock)


def killed(*_: object) -> None:
    raise SystemExit


def test_a_row_that_differs_keeps_the_import_unfinished(
    lakes: Lakes, name: str, file: Path, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(copy, "compare_tables", killed)
        with pytest.raises(SystemExit):
            imported(lakes, name, file, clock)
    lakes.server.run("UPDATE main.run SET \"trigger\" = 'other' WHERE id = 'r'", name)
    result = imported(lakes, name, file, clock)
    assert [(one.table, one.columns) for one in result.tables if not one.equal] == [("run", ("trigger",))]
    with pytest.raises(ConfigError, match="unfinished"):
        lakes.open(name, clock)


def test_the_comparison_names_tables_and_columns(lakes: Lakes, name: str, file: Path, clock: HandClock) -> None:
    imported(lakes, name, file, clock)
    lakes.server.run("UPDATE main.run SET state = 'x', samples = 9 WHERE id = 'r'", name)
    lakes.server.run("DELETE FROM main.kafka_offset", name)
    found = compared(lakes, name, file)
    assert found["run"].columns == ("state", "samples")
    assert (found["kafka_offset"].rows, found["kafka_offset"].rows_in_lake) == (1, 0)
    assert {table for table, one in found.items() if not one.equal} == {"run", "kafka_offset"}


def test_values_in_other_rows_are_a_difference(lakes: Lakes, name: str, path: Path, clock: HandClock) -> None:
    with opened(path, clock) as store, store.write() as tx:
        runs.insert(tx, run("r", trace_prefix="one"))
        runs.insert(tx, run("s", trace_prefix="two"))
    imported(lakes, name, path, clock)
    lakes.server.run("UPDATE main.run SET trace_prefix = CASE id WHEN 'r' THEN 'two' ELSE 'one' END", name)
    assert different(lakes, name, path) == {"run": ()}  # each column has the same values


def test_a_text_that_postgresql_cannot_store_is_kept_without_its_nul(
    lakes: Lakes, name: str, path: Path, clock: HandClock
) -> None:
    with opened(path, clock) as store, store.write() as tx:
        interactions.insert(tx, [interaction("a", finish_reason="x\0y")])
        runs.insert(tx, run("r", error="a\0b"))
    assert imported(lakes, name, path, clock).equal
    store_of_lake = lakes.open(name, clock)
    with store_of_lake.read() as tx:
        assert tx._cursor.execute("SELECT error FROM run").fetchall() == [("a\ufffdb",)]
        assert tx._cursor.execute("SELECT finish_reason FROM interaction").fetchall() == [("x\0y",)]
    store_of_lake.close()


def test_removed_rows_leave_no_gap(lakes: Lakes, name: str, file: Path, clock: HandClock) -> None:
    """Positions of removed rows can be a whole batch."""
    with duckdb.connect(file) as connection:
        connection.execute("DELETE FROM interaction WHERE CAST(id AS INTEGER) BETWEEN 20 AND 219")
    result = imported(lakes, name, file, clock, batch_rows=50)
    assert result.equal
    assert {one.table: one.rows_in_lake for one in result.tables}["interaction"] == CALLS - 200


def exported(file: Path, folder: Path, clock: HandClock, order: Order) -> Path:
    """Write an export or a backup as `driftd db export` and `driftd db backup` do, and return its folder."""
    with opened(file, clock) as store:
        backups = Backups(store, folder, clock, "test")
        ordered = backups.order("test", order)
        backups.run_ordered()
        manifest = backups.get(ordered.id).manifest
        assert manifest is not None
        place = folder / ordered.id
        (place / NAME).write_text(manifest.as_json())
        return place


@pytest.mark.parametrize("order", [Order(kind=PARQUET), Order()], ids=["export", "backup"])
def test_an_export_and_a_backup_are_imported(
    lakes: Lakes, name: str, file: Path, clock: HandClock, tmp_path: Path, order: Order
) -> None:
    source = exported(file, tmp_path / "out", clock, order)
    interrupted(lakes, name, source, clock, 2)
    result = imported(lakes, name, source, clock)
    assert result.equal
    assert different(lakes, name, source) == {}
    assert different(lakes, name, file).keys() <= {"watermark"}


def test_a_file_that_duckdb_2_wrote_moves_by_its_export(
    lakes: Lakes, name: str, clock: HandClock, tmp_path: Path
) -> None:
    of_this_process = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    command = [sys.executable, "-m", "tests.store.lake.imports.newer_file", str(tmp_path)]
    written = subprocess.run(command, env=of_this_process, check=True, capture_output=True, text=True)
    assert written.stdout.startswith("DuckDB 2.")
    assert duckdb.__version__ == "1.5.5"
    with pytest.raises(ConfigError, match="driftd db export"):
        imported(lakes, name, tmp_path / "driftd.duckdb", clock)
    result = imported(lakes, name, tmp_path / "export", clock)
    assert result.equal
    assert {one.table: one.rows_in_lake for one in result.tables}["interaction"] == CALLS


def test_a_damaged_export_is_refused(lakes: Lakes, name: str, file: Path, clock: HandClock, tmp_path: Path) -> None:
    source = exported(file, tmp_path / "out", clock, Order(kind=PARQUET))
    damaged = source / f"run{parquet.SUFFIX}"
    content = bytearray(damaged.read_bytes())
    content[40] ^= 1
    damaged.write_bytes(content)
    with pytest.raises(BackupDamaged, match="run"):
        imported(lakes, name, source, clock)
    lakes.open(name, clock).close()


def test_a_part_of_a_database_is_refused(lakes: Lakes, name: str, file: Path, clock: HandClock, tmp_path: Path) -> None:
    for number, order in enumerate([Order(kind=PARQUET, since=clock.now()), Order(kind=PARQUET, tables=("run",))]):
        with pytest.raises((UsageError, ConfigError), match=r"--since|lacks the tables"):
            imported(lakes, name, exported(file, tmp_path / f"out{number}", clock, order), clock)


def test_files_that_cannot_be_imported_are_refused(
    lakes: Lakes, name: str, file: Path, clock: HandClock, tmp_path: Path
) -> None:
    other, older, more, behind = (tmp_path / each / "x.duckdb" for each in ("other", "older", "more", "behind"))
    for each in (other, older, more, behind):
        each.parent.mkdir()
    with duckdb.connect(other) as connection:
        connection.execute("CREATE TABLE notes(i INTEGER)")
    for each, sql in (
        (older, "DELETE FROM schema_migration WHERE version = 88"),
        (more, "CREATE TABLE notes(i INTEGER)"),
    ):
        shutil.copy(file, each)
        with duckdb.connect(each) as connection:
            connection.execute(sql)
    shutil.copy(file, behind)
    shutil.copy(mark_of(file), mark_of(behind))
    with duckdb.connect(behind) as connection:
        connection.execute("UPDATE watermark SET commits = commits - 1")
    for source, reason in {
        tmp_path / "missing": "does not exist",
        Path(__file__): "cannot be imported",
        other: "database of another program",
        older: "driftd db info",
        more: "did not create: notes",
        behind: "lacks 1 commits",
    }.items():
        with pytest.raises((ConfigError, UsageError), match=reason):
            imported(lakes, name, source, clock)
    assert imported(lakes, name, file, clock).equal


def test_the_audit_log_continues(lakes: Lakes, name: str, file: Path, clock: HandClock) -> None:
    imported(lakes, name, file, clock)
    store = lakes.open(name, clock)
    assert store.audit_head == FIRST_ENTRY
    store.close()
