"""Exports as Parquet, which other tools read, and imports of them into a new database."""

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from monitor.errors import ConfigError, UsageError
from monitor.store.backup import describe
from monitor.store.backup.backups import Backups, Order
from monitor.store.backup.layout import open_backup
from monitor.store.backup.manifest import PARQUET, BackupDamaged
from monitor.store.backup.restore import import_export, restore
from monitor.store.engine import losses
from monitor.store.engine.append_only import FACTS
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from tests.store.backup.exporting import SEALED, exported
from tests.store.build import START, HandClock


def test_an_import_of_an_export_has_every_row_and_no_loss(
    store: FileStore, exports: Backups, tmp_path: Path, clock: HandClock
) -> None:
    manifest = exported(exports, tmp_path / "export", Order(kind=PARQUET))
    before = {name: store.scan_table(name) for name in store.table_names()}
    assert manifest.tables == {name: scan.rows for name, scan in before.items() if name not in FACTS}
    found, layout = open_backup(tmp_path / "export")
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "driftd.duckdb.restoring").write_bytes(b"of an import that was killed")
    with pytest.raises(ConfigError, match="is not complete"):
        Store.open(tmp_path / "new" / "driftd.duckdb", clock=clock)
    path = import_export(found, layout, tmp_path / "new", clock.now())
    imported = Store.open(path, clock=clock)
    try:
        after = {name: imported.scan_table(name) for name in imported.table_names()}
        with imported.read() as tx:
            assert losses.unacknowledged(tx) == []
    finally:
        imported.close()
    assert {n: s for n, s in after.items() if n != "schema_migration"} == {
        n: s for n, s in before.items() if n != "schema_migration"
    }
    with pytest.raises(UsageError, match="is not empty"):
        import_export(found, layout, tmp_path / "new", clock.now())
    with pytest.raises(UsageError, match="driftd db import"):
        restore(found, layout, tmp_path / "other", lambda _: None)


def test_a_part_of_the_tables_since_a_time_leaves_the_others_empty(
    exports: Backups, tmp_path: Path, clock: HandClock
) -> None:
    order = Order(kind=PARQUET, tables=("interaction", "eval_set"), since=START + timedelta(minutes=7))
    assert exported(exports, tmp_path / "export", order).tables == {"interaction": 3, "eval_set": 1}
    found, layout = open_backup(tmp_path / "export")
    imported = Store.open(import_export(found, layout, tmp_path / "new", clock.now()), clock=clock)
    try:
        assert [imported.scan_table(name).rows for name in ("interaction", "eval_set", "eval_case")] == [3, 1, 0]
    finally:
        imported.close()


def test_duckdb_pyarrow_and_pandas_read_the_same_rows(exports: Backups, tmp_path: Path) -> None:
    exported(exports, tmp_path / "export", Order(kind=PARQUET))
    file = tmp_path / "export" / "interaction.parquet"
    schema = pq.read_schema(file)
    assert (str(schema.field("started_at").type), str(schema.field("id").type)) == ("timestamp[us, tz=UTC]", "string")
    with duckdb.connect() as connection:
        read = connection.execute(f"SELECT id FROM '{file}' ORDER BY id").fetchall()
    assert [row[0] for row in read] == [f"call-{n}" for n in range(10)]
    script = f"import pandas; frame = pandas.read_parquet({str(file)!r}); print(len(frame), frame['started_at'].dtype)"
    pandas = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", script], capture_output=True, text=True, check=True, env=dict(os.environ)
    )
    assert pandas.stdout == "10 datetime64[us, UTC]\n"


def test_sealed_cases_stay_encrypted(exports: Backups, tmp_path: Path) -> None:
    exported(exports, tmp_path / "export", Order(kind=PARQUET))
    [case] = pq.read_table(tmp_path / "export" / "eval_case.parquet").to_pylist()
    assert isinstance(case["content"], bytes)
    assert SEALED not in str(case)
    assert SEALED.encode() not in case["content"]


def test_an_unknown_table_fails_with_the_known_ones(exports: Backups) -> None:
    ordered = exports.order("anna", Order(kind=PARQUET, tables=("call",)))
    exports.run_ordered()
    assert "table 'call' is unknown; known: alert," in str(exports.get(ordered.id).error)


def test_a_changed_export_is_not_imported(exports: Backups, tmp_path: Path, clock: HandClock) -> None:
    exported(exports, tmp_path / "export", Order(kind=PARQUET))
    file = tmp_path / "export" / "interaction.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:99] + bytes([content[99] ^ 1]) + content[100:])
    found, layout = open_backup(tmp_path / "export")
    with pytest.raises(BackupDamaged, match=r"interaction\.parquet"):
        import_export(found, layout, tmp_path / "new", clock.now())
    assert not (tmp_path / "new").exists()


def test_the_page_of_tables_is_that_of_the_schema() -> None:
    docs = Path(__file__).parents[3] / "docs"
    assert describe.main(["--check", "--folder", str(docs)]) == 0, "run python -m monitor.store.backup.describe"
