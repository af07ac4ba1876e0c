"""A database of each earlier schema opens: no row is lost or changed, and every list of the API answers."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import duckdb
import httpx
import pytest
import yaml

from monitor.app import build as build_app
from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.store.engine.database import Store
from monitor.store.engine.migrations import known_migrations
from tests.upgrade.old_file import OWN, build, fixtures

FIXTURES: Final = pytest.mark.parametrize("fixture", fixtures(), ids=lambda path: path.stem)
RENAMED_TABLES: Final[Mapping[str, str]] = {"exhibit": "traffic_report", "rewrite": "compaction"}
RENAMED_COLUMNS: Final[Mapping[str, str]] = {
    "dup_of": "duplicate_of",
    "cut_by": "stopped_by",
    "asked": "cases_attempted",
    "turn": "repeat_offset",
    "rewritten_at": "compacted_at",
}
# Columns whose values a migration computes again, and tables that a migration empties because loops compute them again.
COMPUTED: Final = frozenset(
    {
        ("interaction", "finish_reason"),
        ("interaction", "finish_reason_raw"),
        ("planned_instant", "schedule"),
        ("alert", "dedup_key"),
        ("eval_case", "part"),
    }
)
KEPT: Final = ("interaction", "outcome", "score", "eval_set", "eval_case", "finding", "version")
DERIVED: Final = ("settled_", "day_", "case_verdict", "run_", "set_health")


def rows_of(path: Path, *, renamed: bool = False) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of every table; `renamed`: under the names of today."""
    with duckdb.connect(path, read_only=True) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        names = [name for (name,) in connection.execute("SELECT table_name FROM duckdb_tables()").fetchall()]
        found = {name: connection.sql(f'SELECT * FROM "{name}"').to_arrow_table().to_pylist() for name in names}
    if not renamed:
        return found
    return {
        RENAMED_TABLES.get(table, table): [{RENAMED_COLUMNS.get(key, key): v for key, v in row.items()} for row in rows]
        for table, rows in found.items()
    }


def values(table: str, rows: list[dict[str, Any]], columns: set[str]) -> list[str]:
    kept = sorted(column for column in columns if (table, column) not in COMPUTED)
    return sorted(repr([row[column] for column in kept]) for row in rows)


@FIXTURES
def test_an_upgrade_keeps_every_row_and_every_value(tmp_path: Path, fixture: Path) -> None:
    path = tmp_path / "driftd.duckdb"
    build(fixture, path, fill=True)
    before = rows_of(path, renamed=True)
    Store.open(path, clock=SystemClock()).close()
    after = rows_of(path)
    assert [row["version"] for row in after["schema_migration"]] == [one.version for one in known_migrations()]
    lost = before.keys() - after.keys()
    assert not lost, "a table is gone"
    for table, rows in before.items():
        if table in OWN or table.startswith(DERIVED):
            continue
        assert rows, f"{table} has no row to keep"
        columns = set(rows[0])
        assert columns <= set(after[table][0]), table
        assert values(table, after[table], columns) == values(table, rows, columns), table


@FIXTURES
def test_a_daemon_on_an_upgraded_file_verifies_it_and_answers_every_list(tmp_path: Path, fixture: Path) -> None:
    path = tmp_path / "driftd.duckdb"
    counts = build(fixture, path)
    settings = {
        "store": {"path": str(path), "disk_reserve_mb": 0},
        "api": {"port": 0},
        "ingest": {"otlp": {"port": 0}, "otlp_grpc": {"port": 0}},
    }
    config = tmp_path / "driftd.yaml"
    config.write_text(yaml.safe_dump(settings))
    app = build_app(load(config, {}), clock=SystemClock())
    app.start()
    try:
        with httpx.Client(base_url=app.addresses["api"], timeout=60) as api:
            document = api.get("/openapi.json").raise_for_status().json()
            plain = [
                path
                for path, operations in document["paths"].items()
                if "get" in operations and not _required(operations["get"])
            ]
            answers = {path: api.get(path) for path in plain}
            refused = {path: answer.text[:300] for path, answer in answers.items() if answer.status_code >= 400}
            assert refused == {}
            found = answers["/api/v1/interactions"].json()["items"]
            assert len(found) >= min(counts["interaction"], 1)
            for item in found:
                api.get(f"/api/v1/interactions/{item['id']}").raise_for_status()
            for run in answers["/api/v1/runs"].json()["items"]:
                api.get(f"/api/v1/runs/{run['id']}").raise_for_status()
            assert len(answers["/api/v1/runs"].json()["items"]) == counts["run"]
            for table in answers["/api/v1/database/tables"].json()["tables"]:
                verified = api.get("/api/v1/database/verification", params={"table": table}).raise_for_status().json()
                assert verified["error"] is None, table
                if table in KEPT:  # others are computed again, or belong to calls that a fixture leaves out
                    assert verified["rows"] == counts.get(table, 0), table
            assert answers["/api/v1/audit/verification"].json()["ok"]
    finally:
        app.stop()


def _required(operation: Mapping[str, Any]) -> bool:
    return any(parameter.get("required") for parameter in operation.get("parameters", ()))
