"""Which tables of a lake were written, by this process and by others."""

import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from typing import Final

import duckdb

from monitor.store.lake.large_tables import LARGE

MAX_AGE_S: Final = 1.0  # of what is known of other processes
_SNAPSHOT: Final = "newest snapshot"  # the name in the statement below; no table has it
_OTHERS: Final = """
SELECT * FROM postgres_query('control', $$
    SELECT CAST(relname AS text), n_tup_ins + n_tup_upd + n_tup_del FROM pg_stat_user_tables WHERE schemaname = 'main'
    UNION ALL SELECT 'newest snapshot', coalesce(max(snapshot_id), 0) FROM lake.ducklake_snapshot
$$)
"""


class Writes:
    """Numbers that grow with the writes of each table. A write of this process counts at once.

    Those of other processes come from PostgreSQL's statistics, which it updates up to 10 s after a commit, and never
    before it. The newest snapshot counts for all large tables.
    """

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self._monotonic = monotonic
        self._lock = threading.Lock()  # protects the fields below
        self._own: Counter[str] = Counter()
        self._others: dict[str, int] = {}
        self._read_s: float | None = None

    def count(self, tables: Collection[str]) -> None:
        """Count a committed write of this process."""
        with self._lock:
            self._own.update(tables)

    def by_table(self, read: Callable[[], Mapping[str, int]]) -> Mapping[str, int]:
        """Return the number of each table. `read` returns those of `read_others`."""
        with self._lock:
            now_s = self._monotonic()
            if self._read_s is None or now_s - self._read_s >= MAX_AGE_S:
                self._others, self._read_s = dict(read()), now_s
            return {table: number + self._own[table] for table, number in self._others.items()}


def read_others(cursor: duckdb.DuckDBPyConnection) -> dict[str, int]:
    """Return the statistics of PostgreSQL by control table, and the newest snapshot for each large table."""
    found = {str(table): int(number) for table, number in cursor.execute(_OTHERS).fetchall()}
    return found | dict.fromkeys(LARGE, found.pop(_SNAPSHOT))
