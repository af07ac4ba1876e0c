import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from monitor.clock import SystemClock
from monitor.errors import ConfigError, StoreLocked
from monitor.store.engine.connect import open_read_only
from monitor.store.engine.database import Store
from monitor.store.engine.migrations import known_migrations
from monitor.store.sets import revisions as evalsets

LIMIT_MB = 256


def made(folder: Path) -> Path:
    path = folder / "driftd.duckdb"
    Store.open(path, clock=SystemClock()).close()
    return path


def test_a_glance_reads_and_changes_nothing(tmp_path: Path) -> None:
    path = made(tmp_path)
    before = path.read_bytes()
    with open_read_only(path, LIMIT_MB) as seen:
        assert seen.pending == 0
        assert evalsets.current(seen.tx, "primes") is None
        with pytest.raises(duckdb.InvalidInputException, match="read-only"):
            seen.tx.execute("record_migration", version=99, name="x", checksum="x", now=datetime.now(UTC))
    assert path.read_bytes() == before
    assert {p.name for p in tmp_path.iterdir()} == {path.name, f"{path.name}.mark"}


def test_a_file_before_its_migrations_lacks_them_all(tmp_path: Path) -> None:
    path = tmp_path / "empty.duckdb"
    duckdb.connect(path).close()
    with open_read_only(path, LIMIT_MB) as seen:
        assert seen.pending == len(known_migrations())


def test_what_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("dear database")
    with pytest.raises(ConfigError, match="cannot be opened"), open_read_only(path, LIMIT_MB):
        pass


def test_a_glance_is_refused_while_another_writes(tmp_path: Path) -> None:
    path = made(tmp_path)
    code = f"import duckdb; c = duckdb.connect({str(path)!r}); print('open', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        holder.stdout.readline()
        with pytest.raises(StoreLocked), open_read_only(path, LIMIT_MB):
            pass
        holder.communicate("\n", timeout=30)
