from monitor.domain.evalset import SetKind
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import runs
from monitor.store.sets import revisions as evalsets
from tests.store.build import START, at, revision, run, stored_case


def test_a_revision_and_its_cases_come_back_as_they_were(tx: Tx) -> None:
    kept = revision(parent="r0", origin="primes.jsonl", kind=SetKind.FROZEN)
    cases = [stored_case("b", 0, content=b"\x00\xff"), stored_case("a", 1)]
    assert evalsets.insert(tx, kept, list(reversed(cases)))
    assert evalsets.get(tx, "primes", "r1") == kept
    assert evalsets.cases(tx, "primes", "r1") == cases
    assert evalsets.get(tx, "primes", "r2") is None


def test_a_revision_enters_once(tx: Tx) -> None:
    evalsets.insert(tx, revision(), [stored_case("a")])
    assert not evalsets.insert(tx, revision(), [stored_case("a")])
    assert len(evalsets.cases(tx, "primes", "r1")) == 1


def test_one_case_of_a_revision_is_found_by_its_id(tx: Tx) -> None:
    wanted = stored_case("a", 1, content=b"of r1")
    evalsets.insert(tx, revision(), [stored_case("b", 0), wanted])
    evalsets.insert(tx, revision(revision="r2"), [stored_case("a", revision="r2")])
    assert evalsets.case(tx, "primes", "r1", "a") == wanted
    assert evalsets.case(tx, "primes", "r2", "b") is None


def test_the_newest_revision_is_the_current_one(tx: Tx) -> None:
    assert evalsets.current(tx, "primes") is None
    evalsets.insert(tx, revision(revision="new", created_at=at(5)), [])
    evalsets.insert(tx, revision(revision="old", created_at=at(1)), [])
    current = evalsets.current(tx, "primes")
    assert current is not None
    assert current.revision == "new"


def test_sealed_questions_are_recognized_in_every_revision_and_open_ones_are_not(tx: Tx) -> None:
    evalsets.insert(tx, revision(revision="r1"), [stored_case("a")])
    evalsets.insert(tx, revision(revision="r2"), [stored_case("a", revision="r2"), stored_case("b", revision="r2")])
    evalsets.insert(tx, revision("open", sealed=False), [stored_case("c", set_name="open")])
    assert evalsets.sealed_input_macs(tx) == {"input-a", "input-b"}


def test_sets_are_listed_newest_first_and_for_a_deployment_those_it_was_run_on(tx: Tx) -> None:
    for name in ("primes", "corrections", "words"):
        evalsets.insert(tx, revision(name), [])
    runs.insert(tx, run("r", set_name="corrections"))
    first = evalsets.page(tx, PageQuery(limit=2))
    second = evalsets.page(tx, PageQuery(limit=2, cursor=first.next_cursor))
    assert [item.name for item in (*first.items, *second.items)] == ["words", "primes", "corrections"]
    assert [item.name for item in evalsets.page(tx, PageQuery(deployment="support")).items] == ["corrections"]


def test_a_reveal_is_written_down(tx: Tx) -> None:
    evalsets.log_reveal(tx, START, "ann", "cases", "primes", "r1", ["a", "b"])
    rows = tx._cursor.execute("SELECT who, what, set_name, revision, case_ids FROM reveal_log").fetchall()
    assert rows == [("ann", "cases", "primes", "r1", '["a","b"]')]
