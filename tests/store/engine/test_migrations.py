from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest

from monitor.errors import ConfigError, SchemaTooNew
from monitor.store.engine.database import Store
from monitor.store.engine.migrations import Migration, known_migrations, migrate
from monitor.store.engine.statements import statement
from tests.store.build import START, HandClock

PLACE = Path("here.duckdb")


def migration(version: int, sql: str, checksum: str = "c") -> Migration:
    return Migration(version=version, name=f"step_{version}", sql=sql, checksum=checksum)


FIRST = migration(1, "CREATE TABLE one (a BIGINT); INSERT INTO one VALUES (1);")
SECOND = migration(2, "ALTER TABLE one ADD COLUMN b BIGINT;")


@pytest.fixture
def cursor() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        yield connection


def test_a_new_file_gets_every_migration_in_order(cursor: duckdb.DuckDBPyConnection) -> None:
    assert migrate(cursor, [FIRST, SECOND], PLACE, START) == 2
    assert cursor.execute("SELECT a, b FROM one").fetchall() == [(1, None)]
    recorded = cursor.execute("SELECT version, name, checksum FROM schema_migration ORDER BY version").fetchall()
    assert recorded == [(1, "step_1", "c"), (2, "step_2", "c")]


def test_a_migration_is_applied_once(cursor: duckdb.DuckDBPyConnection) -> None:
    migrate(cursor, [FIRST], PLACE, START)
    assert migrate(cursor, [FIRST, SECOND], PLACE, START) == 1
    assert migrate(cursor, [FIRST, SECOND], PLACE, START) == 0
    assert cursor.execute("SELECT count(*) FROM one").fetchall() == [(1,)]


def test_a_migration_that_fails_leaves_neither_its_tables_nor_its_record(cursor: duckdb.DuckDBPyConnection) -> None:
    broken = migration(2, "CREATE TABLE two (a BIGINT); INSERT INTO nowhere VALUES (1);")
    with pytest.raises(duckdb.CatalogException):
        migrate(cursor, [FIRST, broken], PLACE, START)
    tables = cursor.execute("SELECT table_name FROM information_schema.tables ORDER BY table_name").fetchall()
    assert tables == [("one",), ("schema_migration",)]
    assert cursor.execute("SELECT version FROM schema_migration").fetchall() == [(1,)]


def test_an_applied_migration_whose_text_changed_is_refused_with_its_name(cursor: duckdb.DuckDBPyConnection) -> None:
    migrate(cursor, [FIRST], PLACE, START)
    with pytest.raises(ConfigError, match=r"migration 1 \(step_1\) of here.duckdb is not the one this driftd brings"):
        migrate(cursor, [migration(1, FIRST.sql, "another")], PLACE, START)


def test_a_file_of_a_newer_driftd_is_refused_before_anything_is_applied(cursor: duckdb.DuckDBPyConnection) -> None:
    migrate(cursor, [FIRST, SECOND], PLACE, START)
    with pytest.raises(SchemaTooNew, match=r"here.duckdb has schema version 2, this driftd knows up to 1"):
        migrate(cursor, [FIRST], PLACE, START)


def test_the_migrations_we_bring_carry_the_checksum_of_their_text() -> None:
    known = known_migrations()
    assert [step.version for step in known] == sorted({step.version for step in known})
    assert len({step.checksum for step in known}) == len(known)


@pytest.mark.parametrize("names", [["0002_late.sql"], ["0001_a.sql", "0001_b.sql"], ["first.sql"]])
def test_migrations_without_a_number_or_without_the_first_are_refused(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / name).write_text("SELECT 1;")
    with pytest.raises(ConfigError):
        known_migrations(tmp_path)


def test_a_store_says_when_a_newer_driftd_wrote_its_file(path: Path, clock: HandClock) -> None:
    Store.open(path, clock=clock).close()
    with duckdb.connect(path) as connection:
        connection.execute("INSERT INTO schema_migration VALUES (9999, 'from_the_future', 'c', now())")
    with pytest.raises(SchemaTooNew, match="schema version 9999"):
        Store.open(path, clock=clock)


def test_a_store_that_was_refused_gives_the_file_back(path: Path, clock: HandClock) -> None:
    Store.open(path, clock=clock).close()
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE schema_migration SET checksum = 'changed' WHERE version = 1")
    with pytest.raises(ConfigError, match="its text changed after it was applied"):
        Store.open(path, clock=clock)
    with duckdb.connect(path) as connection:  # another configuration: it would be refused while the first is open
        assert connection.execute("SELECT count(*) > 0 FROM schema_migration").fetchall() == [(True,)]


def test_calls_that_are_stored_already_get_our_words_and_keep_the_senders(cursor: duckdb.DuckDBPyConnection) -> None:
    known = known_migrations()
    migrate(cursor, known[:11], PLACE, START)
    cursor.execute(
        "INSERT INTO interaction BY NAME SELECT id, finish_reason, error_class, input_tokens, 'd' AS deployment,"
        " 'production' AS origin, now() AS started_at, now() AS received_at, 'otlp' AS source, 'c' AS convention,"
        " '[]' AS input_messages, '[]' AS output_messages, '' AS input_text, '' AS output_text, 'ok' AS status,"
        " 'full' AS content_state, '{}' AS attributes"
        " FROM (VALUES ('a', 'end_turn', NULL, 3), ('b', NULL, 'openai.RateLimitError', NULL),"
        " ('c', 'pause_turn', NULL, NULL)) AS told (id, finish_reason, error_class, input_tokens)"
    )
    migrate(cursor, known, PLACE, START)
    columns = "id, finish_reason, finish_reason_raw, error_class, error_type, usage_source"
    assert cursor.execute(f"SELECT {columns} FROM interaction ORDER BY id").fetchall() == [  # our own
        ("a", "stop", "end_turn", None, None, "emitted"),
        ("b", None, None, "rate_limit", "openai.RateLimitError", "absent"),
        ("c", "other", "pause_turn", None, None, "absent"),
    ]


def test_candidates_that_wait_are_proposed_again_and_decided_ones_stay(cursor: duckdb.DuckDBPyConnection) -> None:
    known = known_migrations()
    review = next(step.version for step in known if step.name == "candidate_review")
    migrate(cursor, known[: review - 1], PLACE, START)
    cursor.execute(
        "INSERT INTO interaction BY NAME SELECT 'i' AS id, 'd' AS deployment, 'production' AS origin,"
        " now() AS started_at, now() AS received_at, 'otlp' AS source, 'c' AS convention, '[]' AS input_messages,"
        " '[]' AS output_messages, '' AS input_text, 'the bad answer' AS output_text, 'ok' AS status,"
        " 'full' AS content_state, '{}' AS attributes, 'absent' AS usage_source"
    )
    cursor.execute(
        "INSERT INTO feedback BY NAME SELECT 'f' AS id, 'd' AS deployment, now() AS \"at\", now() AS received_at,"
        " 'edit' AS kind, 'user' AS source, TRUE AS is_correction"
    )
    cursor.execute(
        "INSERT INTO candidate BY NAME SELECT id, state, feedback_id, 'd' AS deployment, 'i' AS interaction_id,"
        " 'Q' AS input_text, 'A' AS expected, 'c' AS category, 'none' AS failure_category, id AS content_hash,"
        " now() AS proposed_at FROM (VALUES ('waits', 'proposed', 'f'), ('alone', 'proposed', 'expired'),"
        " ('decided', 'accepted', 'f')) AS told (id, state, feedback_id)"
    )
    migrate(cursor, known, PLACE, START)
    columns = "id, state, messages, bad_output, severity, must_not, revision"
    assert cursor.execute(f"SELECT {columns} FROM candidate ORDER BY id").fetchall() == [  # our own
        ("alone", "proposed", '[{"role":"user"}]', "the bad answer", "medium", "[]", 0),
        ("decided", "accepted", '[{"role":"user"}]', "the bad answer", "medium", "[]", 0),
    ]


def test_reports_and_instants_of_an_older_file_get_the_new_names(cursor: duckdb.DuckDBPyConnection) -> None:
    migrations = known_migrations()
    migrate(cursor, [m for m in migrations if m.version < 28], PLACE, START)
    cursor.execute(
        "INSERT INTO exhibit SELECT 'old', 'bot', 'traffic', $at, $at, $at, $at, 'made', '', NULL, NULL, NULL, ''",
        {"at": START},
    )
    cursor.execute(
        "INSERT INTO planned_instant (schedule, deployment, instant, handled_at) VALUES (':exhibits', 'bot', $at, $at)",
        {"at": START},
    )
    migrate(cursor, [m for m in migrations if m.version <= 28], PLACE, START)
    assert cursor.execute("SELECT id FROM traffic_report").fetchall() == [("old",)]
    assert cursor.execute("SELECT schedule FROM planned_instant").fetchall() == [(":traffic_reports",)]


def test_compactions_duplicates_and_runs_of_an_older_file_get_the_new_names(cursor: duckdb.DuckDBPyConnection) -> None:
    migrations = known_migrations()
    migrate(cursor, [m for m in migrations if m.version < 29], PLACE, START)
    cursor.execute("INSERT INTO rewrite VALUES ('old', 'erase', $at, 'dpo', 's:h', '{}', $at)", {"at": START})
    cursor.execute(
        "INSERT INTO run (id, deployment, set_name, set_kind, revision, trigger, planned_at, state, trace_prefix, "
        "samples, cases, cut_by, asked, turn) "
        "VALUES ('r', 'bot', 's', 'frozen', 'v', 'manual', $at, 'complete', 'p', 1, 9, 'usd', 4, 7)",
        {"at": START},
    )
    migrate(cursor, migrations, PLACE, START)
    assert cursor.execute("SELECT id, compacted_at IS NULL FROM compaction").fetchall() == [("old", False)]
    assert cursor.execute("SELECT stopped_by, cases_attempted, repeat_offset FROM run").fetchall() == [("usd", 4, 7)]
    assert cursor.execute("SELECT duplicate_of FROM interaction").fetchall() == []


def test_open_alerts_of_an_older_file_stay_open_and_are_about_the_verdict(cursor: duckdb.DuckDBPyConnection) -> None:
    known = known_migrations()
    metrics = next(step.version for step in known if step.name == "metric_alerts")
    migrate(cursor, known[: metrics - 1], PLACE, START)
    cursor.execute(
        "INSERT INTO alert BY NAME SELECT 'a' AS id, 'bot/score/primes' AS dedup_key, 'bot' AS deployment,"
        " 'primes' AS set_name, 'firing' AS state, 'critical' AS severity, 'fell' AS summary, 'f' AS finding_id,"
        " 'f' AS last_finding_id, now() AS pending_since, now() AS updated_at, 'QualityRegression' AS rule"
    )
    migrate(cursor, known, PLACE, START)
    parameters = {"deployment": "bot", "set_name": "primes"}
    for name, found in (("open_alert_of_set", 1), ("open_alerts_of_metrics", 0)):
        assert cursor.execute(f"SELECT count(*) FROM ({statement(name)})", parameters).fetchall() == [
            (found,)
        ]  # our own
    assert cursor.execute("SELECT metric FROM alert").fetchall() == [(None,)]
