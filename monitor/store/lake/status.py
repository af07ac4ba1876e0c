"""The size of a lake and the read positions of its sources: `driftd lake status`."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

import duckdb

from monitor.domain.lake_address import LakeAddress
from monitor.domain.object_store import LakeData
from monitor.store.lake.checks import identity_of
from monitor.store.lake.connect import attach_control, duckdb_with_extensions, require_tables, unopened
from monitor.store.lake.imports.unfinished import import_of

LARGE_TABLES: Final = """
SELECT t.table_name, coalesce(f.rows, 0) - coalesce(d.rows, 0) AS rows, coalesce(f.files, 0) AS files,
    coalesce(f.bytes, 0) + coalesce(d.bytes, 0) AS bytes
FROM lake.ducklake_table t
LEFT JOIN (
    SELECT table_id, sum(record_count)::bigint AS rows, count(*) AS files, sum(file_size_bytes)::bigint AS bytes
    FROM lake.ducklake_data_file WHERE end_snapshot IS NULL GROUP BY table_id
) f ON f.table_id = t.table_id
LEFT JOIN (
    SELECT table_id, sum(delete_count)::bigint AS rows, sum(file_size_bytes)::bigint AS bytes
    FROM lake.ducklake_delete_file WHERE end_snapshot IS NULL GROUP BY table_id
) d ON d.table_id = t.table_id
WHERE t.end_snapshot IS NULL ORDER BY t.table_name
"""
CONTROL_TABLES: Final = """
SELECT relname::text AS name, (xpath('/row/n/text()', query_to_xml(
    format('SELECT count(*) AS n FROM main.%I', relname), false, true, ''
)))[1]::text::bigint AS rows, pg_total_relation_size(oid) AS bytes
FROM pg_class WHERE relkind = 'r' AND relnamespace = 'main'::regnamespace ORDER BY relname
"""
FACTS: Final = """
SELECT (SELECT max(version) FROM main.schema_migration) AS version, count(*) AS snapshots,
    max(snapshot_id) AS newest, extract(epoch FROM max(snapshot_time))::float8 AS newest_s,
    (SELECT count(*) FROM main.file_position) AS files, (SELECT count(*) FROM commits.deferred_write) AS deferred,
    pg_database_size(current_database()) AS bytes
FROM lake.ducklake_snapshot
"""
POSITIONS: Final = """
SELECT topic, "partition", next_offset, extract(epoch FROM stored_at)::float8 AS stored_s
FROM main.kafka_offset ORDER BY topic, "partition", cluster_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSize:
    """A table. `files` are its Parquet files; None for a control table, which is in PostgreSQL."""

    table: str
    rows: int
    files: int | None
    bytes: int


PROCESSES: Final = """
SELECT process, role, host, extract(epoch FROM seen_at)::float8 AS seen_s FROM commits.worker
WHERE seen_at > clock_timestamp() - interval '3 minutes' ORDER BY role, host, process
"""
SLICED: Final = """
SELECT run.run_id, (SELECT count(*) FROM commits.slice s WHERE s.run_id = run.run_id AND NOT s.done) AS open,
    (SELECT count(*) FROM commits.slice_at_work w WHERE w.run_id = run.run_id) AS at_work
FROM commits.sliced_run run ORDER BY run.planned_at, run.run_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeProcess:
    """A process of the role `work` or `maintain` that was seen in the last three minutes."""

    process: str
    role: str
    host: str
    seen_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class SlicedRunStatus:
    """A run that several processes replay: its slices that are not done, and those that a process has."""

    run_id: str
    open: int
    at_work: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionPosition:
    """The offset of the next record that driftd stores."""

    topic: str
    partition: int
    next_offset: int
    stored_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class LakeStatus:
    """What a lake has. `deferred` statements wait for a process that ends the write of another one. `import_of` is the
    file that was imported; None without one, and without `import_ended_at` its import is unfinished.
    """

    id: str
    database: str
    data: str
    schema_version: int
    snapshots: int
    newest_snapshot: int
    newest_at: datetime
    database_bytes: int
    files_read: int
    deferred: int
    import_of: str | None
    import_ended_at: datetime | None
    tables: tuple[TableSize, ...]
    partitions: tuple[PartitionPosition, ...]
    processes: tuple[LakeProcess, ...]
    sliced_runs: tuple[SlicedRunStatus, ...]


def lake_status(url: str, data: LakeData) -> LakeStatus:
    """Read the status. Raises ConfigError without a lake, StoreUnavailable when it cannot be reached now."""
    shown = LakeAddress.of(url).shown
    connection = duckdb_with_extensions(memory_limit_mb=512, threads=1)
    try:
        attach_control(connection, url)
        require_tables(connection, url)
        large = [
            TableSize(table=table, rows=rows, files=files, bytes=size)
            for table, rows, files, size in _ask(connection, LARGE_TABLES)
        ]
        control = [
            TableSize(table=table, rows=rows, files=None, bytes=size)
            for table, rows, size in _ask(connection, CONTROL_TABLES)
        ]
        [(version, snapshots, newest, newest_s, files, deferred, size)] = _ask(connection, FACTS)
        positions = [
            PartitionPosition(
                topic=topic, partition=partition, next_offset=offset, stored_at=datetime.fromtimestamp(at_s, UTC)
            )
            for topic, partition, offset, at_s in _ask(connection, POSITIONS)
        ]
        imported = import_of(connection)
        return LakeStatus(
            id=identity_of(connection),
            database=shown,
            data=str(data),
            schema_version=version,
            snapshots=snapshots,
            newest_snapshot=newest,
            newest_at=datetime.fromtimestamp(newest_s, UTC),
            database_bytes=size,
            files_read=files,
            deferred=deferred,
            import_of=None if imported is None else imported.source,
            import_ended_at=None if imported is None else imported.ended_at,
            tables=(*large, *control),
            partitions=tuple(positions),
            processes=tuple(
                LakeProcess(process=process, role=role, host=host, seen_at=datetime.fromtimestamp(seen_s, UTC))
                for process, role, host, seen_s in _ask(connection, PROCESSES)
            ),
            sliced_runs=tuple(
                SlicedRunStatus(run_id=run_id, open=not_done, at_work=at_work)
                for run_id, not_done, at_work in _ask(connection, SLICED)
            ),
        )
    except duckdb.Error as error:
        raise unopened(error, url) from error
    finally:
        connection.close()


def _ask(connection: duckdb.DuckDBPyConnection, sql: str) -> list[tuple[Any, ...]]:
    """Return the rows of a query of PostgreSQL."""
    return connection.execute("SELECT * FROM postgres_query('control', $sql)", {"sql": sql}).fetchall()
