"""Keep DuckDB and pyarrow from importing pandas, which takes 0.25 s of CPU and 50 MB."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from typing import Final

import duckdb
import pyarrow as pa

_PANDAS: Final = "pandas"


class _Hides(MetaPathFinder):
    """Makes an import of pandas fail."""

    def find_spec(self, fullname: str, *_: object) -> None:
        if fullname == _PANDAS:
            raise ModuleNotFoundError("pandas is hidden from DuckDB and pyarrow", name=_PANDAS)


@contextmanager
def _hidden() -> Iterator[None]:
    finder = _Hides()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)


def skip_pandas(connection: duckdb.DuckDBPyConnection) -> None:
    """Run a first query with a parameter and convert a first list. At these, DuckDB and pyarrow import pandas if it is
    installed, to recognize its values, and do not try again after a failure. driftd passes no value of pandas.
    `to_pandas` of a table still imports it.
    """
    if _PANDAS not in sys.modules:
        with _hidden():
            connection.execute("SELECT $value", {"value": 0}).fetchall()
            pa.array([0])
