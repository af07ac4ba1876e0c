"""A real Spark session reads every table of an export with the documented types."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from monitor.store.backup.backups import Backups, Order
from monitor.store.backup.describe import TYPES
from monitor.store.backup.manifest import PARQUET
from tests.store.backup.exporting import CALLS, documented, exported
from tests.store.build import at

ROOT = Path(__file__).parents[4]
PROGRAM = Path(__file__).with_name("program.py")
HOW = "run `.ci/spark`, which installs it, or name the Python of one with the environment variable SPARK_PYTHON"
SPARK_S = 600

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(scope="module")
def spark() -> Path:
    """Return the Python that has pyspark. Without one, skip on a developer's machine and fail in CI."""
    named = os.environ.get("SPARK_PYTHON")
    reported = subprocess.run([ROOT / ".ci/spark", "--where"], capture_output=True, text=True, check=True)
    found = Path(named or reported.stdout.strip())
    if not found.is_file():
        (pytest.fail if named or os.environ.get("CI") else pytest.skip)(f"there is no Spark; {HOW}")
    return found


def test_every_table_has_its_rows_its_columns_and_their_types(spark: Path, exports: Backups, tmp_path: Path) -> None:
    manifest = exported(exports, tmp_path / "export", Order(kind=PARQUET))
    done = subprocess.run(
        [spark, PROGRAM, tmp_path / "export"],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LOCAL_DIRS": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=SPARK_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout.splitlines()[-1])
    names = dict(TYPES.values())
    assert {name: table["rows"] for name, table in found["tables"].items()} == dict(manifest.tables)
    for name, columns in documented().items():
        expected = [[column, names[kind]] for column, kind in columns]
        assert found["tables"][name]["types"] == expected, name
    assert found["calls"] == [[f"call-{n}", f"{at(n):%Y-%m-%d %H:%M:%S}"] for n in range(CALLS)]
