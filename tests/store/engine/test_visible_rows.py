"""Every table has a condition, and every statement keeps its meaning within a limit."""

from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from monitor.domain.deployment_limit import DeploymentLimit
from monitor.errors import Forbidden
from monitor.store.engine.database import Store
from monitor.store.engine.statements import SQL_FOLDER, statement
from monitor.store.engine.visible_rows import CONDITIONS, check_rows, limited

LIMIT = DeploymentLimit(deployments=frozenset({"support", "O'Brien"}), sets=frozenset({"primes"}))
STATEMENTS = sorted(path.stem for path in SQL_FOLDER.glob("*.sql"))


def test_every_table_and_view_has_a_condition(store: Store) -> None:
    with store.read() as tx:
        views = tx._cursor.execute(
            "SELECT view_name FROM duckdb_views() WHERE NOT internal AND schema_name = 'main'"
        ).fetchall()
    names = {*store.table_names(), *(name for (name,) in views)}
    assert names == set(CONDITIONS), "add new tables to CONDITIONS"


def test_every_statement_can_be_limited(store: Store) -> None:
    broken = []
    with store.read() as tx:
        for name in STATEMENTS:
            if statement(name).lstrip().startswith(("CREATE", "-- ")) and "CREATE TABLE" in statement(name):
                continue
            whole, within = (_error(tx._cursor, sql) for sql in (statement(name), limited(statement(name), LIMIT)))
            if within is not None and (whole is None or "batch" not in within):
                broken.append((name, within))
    assert broken == []


def _error(cursor: duckdb.DuckDBPyConnection, sql: str) -> str | None:
    try:
        cursor.execute("PREPARE checked AS " + sql)
    except duckdb.Error as error:
        return str(error)
    return None


@pytest.mark.parametrize("verb", ["UPDATE", "DELETE"])
def test_a_change_reaches_only_visible_rows(verb: str, tmp_path: Path) -> None:
    connection = duckdb.connect(str(tmp_path / "file"))
    connection.execute("CREATE TABLE run (id VARCHAR, deployment VARCHAR, state VARCHAR)")
    connection.execute("INSERT INTO run VALUES ('mine', 'support', 'planned'), ('theirs', 'billing', 'planned')")
    sql = "UPDATE run SET state = 'failed'" if verb == "UPDATE" else "DELETE FROM run"
    for where in (" WHERE id = 'theirs' OR id = 'x' -- WHERE", " WHERE id = 'mine' OR state = 'planned'"):
        connection.execute(limited(sql + where, LIMIT))
    rows = connection.execute("SELECT id, state FROM run ORDER BY id").fetchall()
    assert rows == ([("mine", "failed"), ("theirs", "planned")] if verb == "UPDATE" else [("theirs", "planned")])


def test_an_appended_row_of_another_deployment_is_refused() -> None:
    check_rows("run", pa.table({"deployment": ["support"]}), LIMIT)
    with pytest.raises(Forbidden, match="'billing' is outside the limit"):
        check_rows("run", pa.table({"deployment": ["support", "billing"]}), LIMIT)
    with pytest.raises(Forbidden, match="needs a token without a limit"):
        check_rows("compaction", pa.table({"id": ["one"]}), LIMIT)


def test_an_empty_limit_shows_nothing() -> None:
    connection = duckdb.connect()
    connection.execute("CREATE TABLE run (id VARCHAR, deployment VARCHAR)")
    connection.execute("INSERT INTO run VALUES ('one', 'support'), ('two', NULL)")
    nothing = DeploymentLimit(deployments=frozenset())
    assert connection.execute(limited("SELECT id FROM run", nothing)).fetchall() == []
