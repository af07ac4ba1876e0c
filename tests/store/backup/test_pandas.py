"""pandas reads every table of an export with the documented types."""

from pathlib import Path

import pandas as pd

from monitor.store.backup.backups import Backups, Order
from monitor.store.backup.manifest import PARQUET
from tests.store.backup.exporting import CALLS, documented, exported
from tests.store.build import at

TYPES = {
    "string (UTF-8)": {"str", "object"},
    "timestamp, microseconds, UTC": {"datetime64[us, UTC]"},
    "double": {"float64"},
    "int64": {"int64", "float64"},  # pandas has no integer that is missing
    "boolean": {"bool", "object"},
    "binary": {"object"},
    "date": {"object"},
}


def test_every_table_has_its_rows_its_columns_and_their_types(exports: Backups, tmp_path: Path) -> None:
    manifest = exported(exports, tmp_path / "export", Order(kind=PARQUET))
    frames = {name: pd.read_parquet(tmp_path / "export" / f"{name}.parquet") for name in manifest.tables}
    assert {name: len(frame) for name, frame in frames.items()} == dict(manifest.tables)
    tables = documented()
    assert frames.keys() == tables.keys()
    for name, frame in frames.items():
        assert list(frame.columns) == [column for column, _ in tables[name]]
        for column, kind in tables[name]:
            assert str(frame[column].dtype) in TYPES[kind], (name, column, kind)


def test_values_are_those_of_the_store(exports: Backups, tmp_path: Path) -> None:
    exported(exports, tmp_path / "export", Order(kind=PARQUET, tables=("interaction", "eval_case")))
    calls = pd.read_parquet(tmp_path / "export" / "interaction.parquet").sort_values("started_at")
    assert list(calls["id"]) == [f"call-{n}" for n in range(CALLS)]
    assert list(calls["started_at"]) == [pd.Timestamp(at(n)) for n in range(CALLS)]
    [case] = pd.read_parquet(tmp_path / "export" / "eval_case.parquet").itertuples()
    assert isinstance(case.content, bytes)
