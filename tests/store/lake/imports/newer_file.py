"""Write a database file with the installed DuckDB, and export it.

`python -m tests.store.lake.imports.newer_file FOLDER`

The tests of a lake run with DuckDB 1.5.5. This process runs without it, as driftd does before a move into a lake. It
prints the version of DuckDB.
"""

import sys
from pathlib import Path

import duckdb

from monitor.cli.main import main as driftd
from monitor.clock import SystemClock
from tests.store.lake.imports.build import filled


def main(folder: Path) -> None:
    config = folder / "driftd.yaml"
    config.write_text("store: {path: driftd.duckdb}\n")
    filled(folder / "driftd.duckdb", SystemClock())
    sys.stdout.write(f"DuckDB {duckdb.__version__}\n")
    sys.stdout.flush()
    driftd(["db", "export", str(folder / "export"), "--config", str(config)])


if __name__ == "__main__":
    main(Path(sys.argv[1]))
