"""The large tables and their statements run on DuckLake without changes."""

import re
from collections.abc import Iterator
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

import duckdb
import pytest

from monitor.domain.feedback import Link, LinkMethod
from monitor.domain.interaction import ContentState
from monitor.store.engine.append_only import APPEND_ONLY, FOLDED, VIEWS
from monitor.store.engine.migrations import FOLDER
from monitor.store.engine.pagination import PageQuery
from monitor.store.engine.transaction import Tx
from monitor.store.maintenance.fold import fold
from monitor.store.runs import outcomes
from monitor.store.runs.split_run import move
from monitor.store.traffic import dead_letters, duplicates, feedback, interactions
from monitor.store.traffic.dead_letters import DeadLetter
from monitor.store.traffic.late_texts import insert_content, join_content
from tests.store.build import START, answer, assistant, at, interaction, score, span_content, user
from tests.store.build import feedback as signal

BIG = {"interaction", "span_content", "feedback", "dead_letter", "outcome", "score", *APPEND_ONLY}
VIEWS_OF_BIG = {*VIEWS.values(), *FOLDED.values(), "feedback_override"}


def extension() -> Path:
    package = find_spec("duckdb_extension_ducklake")
    assert package is not None, "install duckdb-extension-ducklake"
    assert package.submodule_search_locations
    (found,) = Path(package.submodule_search_locations[0]).rglob("ducklake.duckdb_extension")
    return found


def definitions() -> list[str]:
    """Return the statements of the migrations that create and alter the large tables, in order."""
    sql = "\n".join(path.read_text() for path in sorted(FOLDER.glob("*.sql")))
    made = re.finditer(r"^(?:CREATE TABLE (\w+) \(.*?^\)|ALTER TABLE (\w+) [^;]*);", sql, re.MULTILINE | re.DOTALL)
    found = [(match[1] or match[2], match[0]) for match in made]
    assert {name for name, _ in found} >= BIG
    return [statement for name, statement in found if name in BIG]


def views() -> list[str]:
    """Return the statements that create the views of the large tables, as views of the session."""
    sql = "\n".join(path.read_text() for path in sorted(FOLDER.glob("*.sql")))
    made = re.finditer(r"^CREATE VIEW (\w+) AS\s[^;]*;", sql, re.MULTILINE)
    found = {match[1]: match[0].replace("CREATE VIEW", "CREATE TEMP VIEW", 1) for match in made}
    return [found[name] for name in sorted(VIEWS_OF_BIG)]


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[Tx]:
    connection = duckdb.connect(config={"autoinstall_known_extensions": "false"})
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(f"LOAD '{extension()}'")
    connection.execute(f"ATTACH 'ducklake:{tmp_path}/catalog.duckdb' AS lake (DATA_PATH '{tmp_path}/files')")
    connection.execute("USE lake")
    for sql in definitions():
        connection.execute(sql)
    # Small tables are not in the lake. A statement finds them by the search path.
    connection.execute("CREATE TABLE memory.main.settled_run (run_id VARCHAR PRIMARY KEY)")
    connection.execute('CREATE TABLE memory.main.settled_day (deployment VARCHAR, "day" DATE)')
    connection.execute("CREATE TABLE memory.main.candidate (state VARCHAR, feedback_id VARCHAR)")
    connection.execute("CREATE TABLE memory.main.candidate_member (correction_id VARCHAR)")
    connection.execute("SET search_path = 'lake.main,memory.main'")
    for sql in views():
        connection.execute(sql)
    yield Tx(connection)
    connection.close()


def test_an_interaction_enters_once(lake: Tx) -> None:
    rows = [interaction(str(n)) for n in range(5)]
    assert interactions.insert(lake, rows).accepted == 5
    assert interactions.insert(lake, [*rows, interaction("new")]).accepted == 1
    assert interactions.count(lake) == 6
    assert interactions.get(lake, "3") == rows[3]


def test_texts_join_their_span(lake: Tx) -> None:
    bare = interaction(
        "a", trace_id="t", span_id="s", input_messages=(), output_messages=(), content_state=ContentState.ABSENT
    )
    interactions.insert(lake, [bare])
    insert_content(lake, [span_content("t", input_messages=(user("in"),), output_messages=(assistant("out"),))])
    assert join_content(lake, START) == 1
    found = interactions.get(lake, "a")
    assert found is not None
    assert (found.input_text, found.output_text) == ("in", "out")


def test_feedback_and_dead_letters_enter_and_are_listed(lake: Tx) -> None:
    assert feedback.insert(lake, [signal("f"), signal("f")]).duplicates == 1
    assert [item.id for item in feedback.page(lake, PageQuery()).items] == ["f"]
    bad = DeadLetter(id="d", received_at=START, source="http", code="malformed", reason="no JSON", raw=b"{")
    dead_letters.insert(lake, [bad])
    assert dead_letters.count(lake) == 1


def test_links_revisions_and_retractions_are_inserts_and_fold(lake: Tx) -> None:
    feedback.insert(lake, [signal(id_, revisable=True) for id_ in ("f", "g", "h")])
    feedback.set_links(lake, [Link(feedback_id="f", interaction_id="i", method=LinkMethod.SPAN)])
    feedback.insert(lake, [signal("f", at=at(1), value=1.0, revisable=True)])
    feedback.retract(lake, ["g"])
    before = feedback.page(lake, PageQuery()).items
    assert [(item.id, item.value, item.linked_interaction_id) for item in before] == [
        ("f", 1.0, "i"),
        ("h", -1.0, None),
    ]
    assert fold(lake) == 3
    assert feedback.page(lake, PageQuery()).items == before


def test_ingest_and_links_do_not_refuse_each_other(lake: Tx) -> None:
    feedback.insert(lake, [signal("f", revisable=True)])
    with lake._cursor.cursor() as other:
        other.execute("SET search_path = 'lake.main,memory.main'")
        for sql in views():
            other.execute(sql)
        for n, (linking, ingesting) in enumerate(((lake, Tx(other)), (Tx(other), lake))):
            linking._cursor.execute("BEGIN")
            feedback.set_links(linking, [Link(feedback_id="f", interaction_id=f"i{n}", method=LinkMethod.SPAN)])
            assert feedback.insert(ingesting, [signal(f"new-{n}")]).accepted == 1
            linking._cursor.execute("COMMIT")
    assert {item.id: item.linked_interaction_id for item in feedback.page(lake, PageQuery()).items} == {
        "f": "i1",
        "new-0": None,
        "new-1": None,
    }


def test_late_texts_kept_reports_and_ingest_do_not_refuse_each_other(lake: Tx) -> None:
    interactions.insert(lake, [interaction("a"), interaction("b")])
    with lake._cursor.cursor() as other:
        other.execute("SET search_path = 'lake.main,memory.main'")
        for sql in views():
            other.execute(sql)
        for n, (linking, ingesting) in enumerate(((lake, Tx(other)), (Tx(other), lake))):
            linking._cursor.execute("BEGIN")
            assert duplicates.mark(linking, {"a": "b"} if n else {"b": "a"}, since=START) == n + 1
            assert interactions.insert(ingesting, [interaction(f"new-{n}")]).accepted == 1
            linking._cursor.execute("COMMIT")
    before = interactions.page(lake, PageQuery()).items
    assert {call.id: call.duplicate_of for call in before} == {"a": "b", "b": "b", "new-0": None, "new-1": None}
    assert fold(lake) == 3
    assert interactions.page(lake, PageQuery()).items == before


def test_used_texts_removed_letters_and_ingest_do_not_refuse_each_other(lake: Tx) -> None:
    bare = interaction("a", trace_id="t", span_id="s", output_messages=(), content_state=ContentState.PARTIAL)
    letter = DeadLetter(id="d", received_at=START, source="http", code="malformed", reason="no JSON", raw=b"{")
    interactions.insert(lake, [bare])
    insert_content(lake, [span_content("t", output_messages=(assistant("out"),))])
    dead_letters.insert(lake, [letter])
    with lake._cursor.cursor() as other:
        other.execute("SET search_path = 'lake.main,memory.main'")
        for sql in views():
            other.execute(sql)
        ingesting = Tx(other)
        lake._cursor.execute("BEGIN")
        assert join_content(lake, START) == 1
        dead_letters.remove(lake, "d")
        insert_content(ingesting, [span_content("later", output_messages=(assistant("out"),))])
        dead_letters.insert(ingesting, [replace(letter, id="e")])
        lake._cursor.execute("COMMIT")
    before = interactions.get(lake, "a"), dead_letters.page(lake, PageQuery()).items
    assert [each.id for each in before[1]] == ["e"]
    assert lake._cursor.execute("SELECT trace_id FROM current_span_content").fetchall() == [("later",)]
    assert fold(lake) == 3
    assert (interactions.get(lake, "a"), dead_letters.page(lake, PageQuery()).items) == before
    assert lake._cursor.execute("SELECT trace_id FROM span_content").fetchall() == [("later",)]


def test_moved_samples_and_a_replay_do_not_refuse_each_other(lake: Tx) -> None:
    outcomes.append(lake, "run", [answer("case", score(1.0)), answer("other", score(1.0))], None)
    with lake._cursor.cursor() as other:
        other.execute("SET search_path = 'lake.main,memory.main'")
        for sql in views():
            other.execute(sql)
        lake._cursor.execute("BEGIN")
        assert move(lake, "run", "part", [("case", 0)], None) == 1
        outcomes.append(Tx(other), "night", [answer("case", score(0.0))], None)
        lake._cursor.execute("COMMIT")
    expected = {"run": {("other", 0)}, "part": {("case", 0)}, "night": {("case", 0)}}
    assert {run_id: outcomes.answered(lake, run_id) for run_id in expected} == expected
    assert fold(lake) == 2
    assert {run_id: outcomes.answered(lake, run_id) for run_id in expected} == expected


def test_an_outcome_and_its_scores_enter_once(lake: Tx) -> None:
    for _ in range(2):
        outcomes.append(lake, "run", [answer("case", score(1.0))], None)
    assert outcomes.answered(lake, "run") == {("case", 0)}
    ((result, was_scored),) = outcomes.outcome_summaries(lake, "run")
    assert (result.case_id, was_scored) == ("case", True)
