import subprocess
import sys

import duckdb
import pytest

PROGRAM = """
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa

from monitor.clock import SystemClock
from monitor.store.runs import runs
from monitor.store.engine.database import Store

store = Store.open(Path(sys.argv[1]), clock=SystemClock())
now = datetime.now(UTC)
with store.write() as tx:
    runs.record_instant(tx, "nightly", "support", now, now)
store.close()
assert "pandas" not in sys.modules, "writing a row has imported pandas"
assert list(pa.table({"a": [1]}).to_pandas()["a"]) == [1]
"""


@pytest.mark.skipif(duckdb.__version__.startswith("1."), reason="DuckDB before 2 imports pandas itself")
def test_writing_imports_no_pandas_and_who_wants_it_has_it(tmp_path: object) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, f"{tmp_path}/driftd.duckdb"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
