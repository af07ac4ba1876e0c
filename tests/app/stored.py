"""What a daemon has stored, to search: the files as they are, and every row as text, because columns are compressed."""

from pathlib import Path

import duckdb
import pyarrow.parquet as pq

from tests.app.lake import ON_LAKE, database_of, lakes

PATHS = "SELECT path FROM lake.ducklake_data_file UNION ALL SELECT path FROM lake.ducklake_delete_file"


def stored(folder: Path) -> bytes:
    """Return everything that the daemon of a folder stored. A daemon on a file has stopped."""
    return _in_lake(database_of(folder)) if ON_LAKE else _in_file(folder)


def _in_file(folder: Path) -> bytes:
    raw = b"".join(path.read_bytes() for path in folder.glob("driftd.duckdb*"))
    with duckdb.connect(folder / "driftd.duckdb", read_only=True) as file:
        tables = [name for (name,) in file.execute("SELECT table_name FROM information_schema.tables").fetchall()]
        rows = [str(file.table(name).to_arrow_table().to_pylist()) for name in tables]
    return raw + "\n".join(rows).encode()


def _in_lake(database: str) -> bytes:
    server = lakes().server
    names = {Path(line).name for line in server.run(PATHS, database).splitlines()}
    files = [path for path in lakes().files.rglob("*.parquet") if path.name in names]
    assert len(files) == len(names), "the catalog names files that do not exist"
    rows = [str(pq.read_table(path).to_pylist()) for path in files]
    return b"".join(path.read_bytes() for path in files) + "\n".join([*rows, server.dump(database)]).encode()
