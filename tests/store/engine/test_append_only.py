"""Statements keep the rules of append-only tables, and the list of these tables grows."""

import re
from pathlib import Path

import pytest

import monitor
from monitor.store.engine.append_only import (
    APPEND_ONLY,
    FACTS,
    FOLDED,
    FOLDED_AT_COMMIT,
    VIEWS,
    fact_of,
    joined_with_facts,
    without_facts,
)
from monitor.store.engine.database import Store
from monitor.store.engine.statements import SQL_FOLDER
from monitor.store.engine.transaction import ANY_FACT
from monitor.store.maintenance.fold import FOLDS

CODE = Path(monitor.__file__).parent
MAINTENANCE = CODE / "store" / "maintenance"
STATEMENTS = {
    path.stem: re.sub(r"--[^\n]*|'(?:[^']|'')*'", "", path.read_text()) for path in sorted(SQL_FOLDER.glob("*.sql"))
}
CHANGES = re.compile(
    r"\b(?:UPDATE|DELETE\s+FROM|TRUNCATE|MERGE\s+INTO|INSERT\s+OR\s+(?:REPLACE|IGNORE)\s+INTO)\s+\"?(\w+)"
)
READS = re.compile(r"\b(?:FROM|JOIN)\s+\"?(\w+)")
ROWS_AS_STORED = {
    "content_with_span",  # orders texts by row, joins their facts; no fact changes the spans of calls
    "count_unlinked_feedback",  # joins the facts of few rows
    "end_revised_calls",  # of the rows that were appended before it
    "end_revised_feedback",  # of the rows that `revise_feedback` appended
    "insert_new_feedback",  # joins the facts of the rows of its window
    "insert_new_outcomes",  # a sample that ended does not come back to its run
    "insert_scores_of_new_outcomes",  # as above
    "insert_new_interactions",  # the ids of calls: no fact changes them
}
"""The statements outside of maintenance that read an append-only table itself. Others read its view."""


def users(name: str) -> set[Path]:
    """Return the modules that use a statement."""
    return {path for path in CODE.rglob("*.py") if f'"{name}"' in path.read_text()}


def outside_maintenance(name: str) -> bool:
    return any(MAINTENANCE not in path.parents for path in users(name))


def test_only_maintenance_changes_or_removes_rows() -> None:
    changing = {name for name, sql in STATEMENTS.items() if set(CHANGES.findall(sql)) & APPEND_ONLY}
    assert changing >= {"fold_feedback_links", "expire_feedback", "remove_feedback_of_interactions"}
    assert {name for name in changing if outside_maintenance(name)} == set()


def test_no_statement_changes_a_row_that_it_inserts_again() -> None:
    upserts = {name for name, sql in STATEMENTS.items() if re.search(r"\bON\s+CONFLICT\b", sql)}
    assert {
        name for name in upserts if re.search(rf"INSERT\s+INTO\s+({'|'.join(APPEND_ONLY)})\b", STATEMENTS[name])
    } == (set())


@pytest.mark.parametrize("sql", ["UPDATE feedback SET a = 1", "DELETE FROM feedback", "MERGE INTO feedback USING b"])
def test_a_change_is_found(sql: str) -> None:
    assert CHANGES.findall(sql) == ["feedback"]


def test_statements_read_the_rows_with_their_facts() -> None:
    direct = {name for name, sql in STATEMENTS.items() if set(READS.findall(sql)) & VIEWS.keys()}
    assert {name for name in direct if outside_maintenance(name)} == ROWS_AS_STORED


def test_every_table_of_facts_is_searched_before_a_statement_reads_no_fact() -> None:
    found = {fact: table for table, sql in ANY_FACT.items() for fact in READS.findall(sql)}
    assert found == FACTS
    assert set(FACTS.values()) == VIEWS.keys()
    assert set(FOLDED) == set(VIEWS.values())


def test_a_statement_without_facts_reads_no_table_of_facts() -> None:
    assert joined_with_facts("SELECT * FROM current_feedback") == {"feedback"}
    assert joined_with_facts("SELECT * FROM not_current_feedback") == frozenset()
    both = "FROM current_feedback AS f JOIN current_interaction JOIN current_feedback_x"
    assert (
        without_facts(both, frozenset()) == "FROM folded_feedback AS f JOIN folded_interaction JOIN current_feedback_x"
    )
    assert without_facts(both, frozenset({"feedback"})) == (
        "FROM current_feedback AS f JOIN folded_interaction JOIN current_feedback_x"
    )
    assert without_facts(both, frozenset(VIEWS)) == both


def test_a_statement_that_appends_facts_is_known() -> None:
    appending = {name: fact_of(sql) for name, sql in STATEMENTS.items() if fact_of(sql)}
    assert set(appending.values()) == set(VIEWS)
    assert appending["end_revised_calls"] == "interaction"
    assert VIEWS.keys() >= FOLDED_AT_COMMIT


def test_every_table_of_facts_is_folded_and_forgotten() -> None:
    assert FOLDS.keys() == VIEWS.keys()
    forgetting = [sql for name, sql in STATEMENTS.items() if name.startswith("forget_")]
    assert {table for sql in forgetting for table in CHANGES.findall(sql)} >= FACTS.keys()


def test_the_list_has_tables_of_the_database(store: Store) -> None:
    assert set(store.table_names()) >= APPEND_ONLY
