"""The tables of statements: what a statement reads, through views as well, and what it changes."""

import re

import pytest

from monitor.domain.deployment_limit import DeploymentLimit
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.statements import SQL_FOLDER
from monitor.store.engine.used_tables import changed_table, recorded_statements, tables_read
from monitor.store.engine.visible_rows import CONDITIONS, limited
from monitor.store.traffic import feedback, interactions
from tests.store.build import feedback as signal
from tests.store.build import interaction, undone

STATEMENTS = {path.stem: re.sub(r"--[^\n]*", "", path.read_text()) for path in sorted(SQL_FOLDER.glob("*.sql"))}
CHANGING = {name: sql for name, sql in STATEMENTS.items() if re.search(r"\b(UPDATE\s|INSERT\s|DELETE\s|MERGE\s)", sql)}


@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("uncompared_runs", {"run", "finding"}),
        ("correction_counts", {"feedback", "feedback_link", "feedback_end", "interaction"}),  # through two views
        ("case_results", {"run", "eval_case", "case_verdict", "score", "settled_run"}),
    ],
)
def test_a_statement_reads_its_tables_and_those_of_its_views(name: str, tables: set[str]) -> None:
    assert tables_read([name]) >= tables
    assert "audit_entry" not in tables_read([name])


def test_every_changing_statement_names_the_table_that_it_changes() -> None:
    assert len(CHANGING) > 100
    assert {changed_table(sql) for sql in CHANGING.values()} <= CONDITIONS.keys()


def test_a_limited_statement_changes_the_same_table() -> None:
    limit = DeploymentLimit(deployments=frozenset({"support"}))
    assert {name for name, sql in CHANGING.items() if changed_table(limited(sql, limit)) != changed_table(sql)} == set()


def test_a_statement_that_changes_no_table_is_refused() -> None:
    with pytest.raises(ValueError, match="changes no table"):
        changed_table("SELECT * FROM run")


def test_a_file_counts_the_writes_of_each_table(store: FileStore) -> None:
    before = store.written
    with store.write() as tx:
        interactions.insert(tx, [interaction("a")])
        feedback.insert(tx, [signal("f1")])
    after = store.written
    changed = {table for table in after if after[table] != before.get(table)}
    assert changed >= {"interaction", "feedback"}
    assert not changed & {"run", "outcome", "candidate"}


def test_a_write_that_is_rolled_back_counts_nothing(store: Store) -> None:
    before = store.written
    with undone(store) as tx:
        interactions.insert(tx, [interaction("a")])
    assert store.written == before


def test_statements_of_other_blocks_are_not_recorded(store: Store) -> None:
    with recorded_statements() as names, store.read() as tx:
        tx.query("uncompared_runs")
    with store.read() as tx:
        tx.query("open_losses")
    assert names == {"uncompared_runs"}
