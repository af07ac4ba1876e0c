"""Measure a lake whose catalog has as many files as billions of calls: `python bench/lake_growth.py`.

`PYTHONPATH=.venv/duckdb-1.5.5 python bench/lake_growth.py --files 100 1000 10000 100000`

The files of the calls are rows of DuckLake's catalog only, copied by SQL from one real file: one file for each hour
backwards, of 700,000 calls each, as the maintenance merges them. Each statement of the measurement prunes them by time,
or reads the catalog alone. A statement takes the middle of the rounds, in wall time of this machine.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta
from typing import Any, Final

import msgspec

from monitor.clock import SystemClock
from monitor.domain.interaction import Interaction
from monitor.store.lake.lake_store import LakeStore
from monitor.store.traffic import interactions
from tests.store.build import interaction
from tests.store.lake.lakes import running_lakes

ROWS: Final = 700_000  # of a merged file of 512 MB, at 700 bytes a call
COMMIT: Final = 10_000
HOURS_KEPT: Final = 24
COPY: Final = """
WITH one AS (
    SELECT f.* FROM lake.ducklake_data_file f JOIN lake.ducklake_table t ON t.table_id = f.table_id
    WHERE t.table_name = 'interaction' AND t.end_snapshot IS NULL ORDER BY f.data_file_id LIMIT 1
), ids AS (
    SELECT generate_series({first}, {last}) AS number
), files AS (
    INSERT INTO lake.ducklake_data_file (
        data_file_id, table_id, begin_snapshot, end_snapshot, file_order, path, path_is_relative, file_format,
        record_count, file_size_bytes, footer_size, row_id_start, partition_id, encryption_key, mapping_id, partial_max
    )
    SELECT 1000000 + number, table_id, begin_snapshot, NULL, file_order, 'absent-' || number || '.parquet',
        path_is_relative, file_format, {rows}, 512000000, footer_size, 1000000000 + number::bigint * {rows},
        partition_id, encryption_key, mapping_id, partial_max
    FROM one, ids RETURNING data_file_id, table_id
)
INSERT INTO lake.ducklake_file_column_stats (
    data_file_id, table_id, column_id, column_size_bytes, value_count, null_count, min_value, max_value, contains_nan,
    extra_stats
)
SELECT 1000000 + number, s.table_id, s.column_id, s.column_size_bytes, {rows}, s.null_count,
    CASE WHEN c.column_type = 'timestamptz'
        THEN (s.min_value::timestamptz - make_interval(hours => {kept} + number::int))::text ELSE s.min_value END,
    CASE WHEN c.column_type = 'timestamptz'
        THEN (s.max_value::timestamptz - make_interval(hours => {kept} + number::int))::text ELSE s.max_value END,
    s.contains_nan, s.extra_stats
FROM one JOIN lake.ducklake_file_column_stats s ON s.data_file_id = one.data_file_id
JOIN lake.ducklake_column c ON c.table_id = s.table_id AND c.column_id = s.column_id AND c.end_snapshot IS NULL, ids
"""
SIZE: Final = "SELECT pg_database_size(current_database())"
NEWEST: Final = """
SELECT id FROM interaction WHERE received_at > now() - INTERVAL 1 HOUR ORDER BY received_at DESC LIMIT 50
"""
DAY: Final = "SELECT count(*) FROM interaction WHERE started_at >= now() - INTERVAL 12 HOUR"
ANALYZE: Final = "ANALYZE lake.ducklake_data_file; ANALYZE lake.ducklake_file_column_stats"


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """What statements take with so many files of calls in the catalog."""

    files: int
    calls: int
    catalog_mb: float
    commit_ms: float  # of 10,000 calls, with their file
    newest_ms: float  # the newest 50 calls of the last hour
    day_ms: float  # the count of the calls of the last 12 hours
    maintenance_s: float  # one merge and expiry without work


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", type=int, nargs="+", default=[100, 1_000, 10_000], help="of calls (%(default)s)")
    parser.add_argument("--rounds", type=int, default=5, help="of each statement (%(default)s)")
    options = parser.parse_args()
    with running_lakes() as lakes:
        name = lakes.create()
        store = lakes.open(name, SystemClock())
        try:
            _commit(store)
            before = 0
            for files in sorted(options.files):
                sql = COPY.format(first=before + 1, last=files, rows=ROWS, kept=HOURS_KEPT)
                lakes.server.run(sql, name)
                lakes.server.run(ANALYZE, name)
                before = files
                sys.stdout.write(json.dumps(asdict(_measured(store, files, options.rounds))) + "\n")
                sys.stdout.flush()
        finally:
            store.close()
    return 0


def _measured(store: LakeStore, files: int, rounds: int) -> Grown:
    def maintain() -> None:
        with store.maintained() as cursor:
            cursor.execute("CALL ducklake_expire_snapshots('lake', older_than => now() - INTERVAL 1 DAY)")

    commits = [_commit(store) for _ in range(rounds)]
    return Grown(
        files=files,
        calls=files * ROWS,
        catalog_mb=_ask(store, SIZE)[0] / 1e6,
        commit_ms=1000 * statistics.median(commits),
        newest_ms=1000 * _middle(rounds, lambda: _read(store, NEWEST)),
        day_ms=1000 * _middle(rounds, lambda: _read(store, DAY)),
        maintenance_s=_middle(1, maintain),
    )


def _commit(store: LakeStore) -> float:
    """Store 10,000 calls, and return the seconds of the write."""
    now = SystemClock().now()
    base: Interaction = interaction("call")
    batch = [
        msgspec.structs.replace(
            base,
            id=f"{now.timestamp()}-{n}",
            received_at=now,
            started_at=now - timedelta(milliseconds=n),
        )
        for n in range(COMMIT)
    ]
    began = time.perf_counter()
    with store.append() as tx:
        interactions.insert(tx, batch)
    return time.perf_counter() - began


def _read(store: LakeStore, sql: str) -> None:
    with store._cursor("read") as cursor:  # noqa: SLF001 - no statement of driftd asks this
        cursor.execute(sql).fetchall()


def _ask(store: LakeStore, sql: str) -> tuple[Any, ...]:
    with store._cursor("read") as cursor:  # noqa: SLF001 - as above
        [row] = cursor.execute("SELECT * FROM postgres_query('control', $sql)", {"sql": sql}).fetchall()
    return tuple(row)


def _middle(rounds: int, step: Callable[[], None]) -> float:
    seconds = []
    for _ in range(rounds):
        began = time.perf_counter()
        step()
        seconds.append(time.perf_counter() - began)
    return statistics.median(seconds)


if __name__ == "__main__":
    sys.exit(main())
