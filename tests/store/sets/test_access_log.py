from datetime import timedelta
from pathlib import Path

import duckdb

from monitor.domain.evalset import SetKind
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.migrations import known_migrations, migrate
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import outcomes, runs
from monitor.store.sets import access_log as access
from monitor.store.sets import revisions as evalsets
from monitor.store.sets.sealed_sets import write_revision
from replay.call_log import CallStart
from replay.evalsets.sealing import Sealer
from replay.types import Case, TargetConditions
from tests.store import build
from tests.store.build import START, at
from tests.store.sets.test_sealed_sets import CASES, case

SEALER = Sealer(b"k" * 32)


def conditions(base_url: str = "https://user:pass@api.example.com/v1", model: str = "gpt-4") -> TargetConditions:
    return TargetConditions(
        kind="openai",
        base_url=base_url,
        model=model,
        system_prompt_hash=None,
        template_hash=None,
        prompt_id=None,
        prompt_version=None,
        temperature=None,
        top_p=None,
        max_tokens=None,
        seed=None,
    )


def write(tx: Tx, cases: list[Case], minute: float = 0) -> str:
    found, _ = write_revision(
        tx, name="primes", kind=SetKind.FROZEN, cases=cases, sealer=SEALER, now=at(minute), origin="primes.jsonl"
    )
    return found.revision


def replay(tx: Tx, run_id: str, revision: str, *case_ids: str, minute: float = 0, model: str = "gpt-4") -> None:
    run = build.run(run_id, set_name="primes", set_kind=SetKind.FROZEN, revision=revision)
    calls = [CallStart(case_id=case_id, at=at(minute)) for case_id in case_ids]
    access.record(tx, access.replayed(run, conditions(model=model)), calls)


def test_a_run_is_one_entry_with_its_provider_and_no_password(tx: Tx) -> None:
    first = write(tx, CASES)
    replay(tx, "run-1", first, "a", minute=1)
    replay(tx, "run-1", first, "b", minute=2)
    (entry,) = access.page(tx, "primes", None, PageQuery()).items
    assert (entry.kind, entry.who, entry.what) == ("replay", "support", "run-1")
    assert (entry.provider, entry.model, entry.cases, entry.calls, entry.at) == (
        "api.example.com",
        "gpt-4",
        2,
        2,
        at(2),
    )


def test_calls_that_were_recorded_and_not_made_are_taken_back(tx: Tx) -> None:
    first = write(tx, [*CASES, case("c", "Is 8 prime?")])
    run = access.replayed(build.run("run-1", set_name="primes", revision=first), conditions())
    access.record(tx, run, [CallStart(case_id=case_id, at=at(1)) for case_id in ("a", "a", "b")])
    access.record(tx, run, [CallStart(case_id="b", at=at(2))], [CallStart(case_id=i, at=at(2)) for i in ("a", "b")])
    access.record(tx, run, [CallStart(case_id="c", at=at(2))])
    access.record(tx, run, [], [CallStart(case_id="c", at=at(3))])
    (entry,) = access.page(tx, "primes", None, PageQuery()).items
    assert (entry.cases, entry.calls, entry.at) == (2, 2, at(2))
    seen = {each.case_id: (each.calls, each.providers) for each in access.exposures(tx, "primes", first, at(3))}
    assert (seen["a"], seen["b"], seen["c"]) == ((1, 1), (1, 1), (0, 0))


def test_every_attempt_of_a_call_counts(tx: Tx) -> None:
    first = write(tx, CASES)
    run = build.run("run-1", set_name="primes", revision=first)
    calls = [CallStart(case_id="a", at=at(minute)) for minute in (3, 1, 2)]
    access.record(tx, access.replayed(run, conditions()), calls)
    (entry,) = access.page(tx, "primes", "a", PageQuery()).items
    assert (entry.calls, entry.at) == (3, at(3))
    assert access.page(tx, "primes", "b", PageQuery()).items == []


def test_reveals_to_people_stand_in_the_same_ledger(tx: Tx) -> None:
    first = write(tx, CASES)
    replay(tx, "run-1", first, "a", "b")
    evalsets.log_reveal(tx, at(5), "anna", "cases", "primes", first, ["a"])
    evalsets.log_reveal(tx, at(6), "anna", "cases", "primes", first, ["a"])
    found = access.page(tx, "primes", None, PageQuery(limit=2))
    assert [(e.kind, e.who, e.cases) for e in found.items] == [("reveal", "anna", 1), ("reveal", "anna", 1)]
    rest = access.page(tx, "primes", None, PageQuery(limit=2, cursor=found.next_cursor))
    assert [e.kind for e in rest.items] == ["replay"]
    a, b = sorted(access.exposures(tx, "primes", first, at(10)), key=lambda each: each.case_id)
    assert (a.calls, a.reveals, a.people, a.providers, a.last_at) == (1, 2, 1, 1, at(6))
    assert (b.calls, b.reveals, b.people) == (1, 0, 0)


def test_a_case_keeps_its_exposure_in_the_next_revision_and_a_changed_one_begins_anew(tx: Tx) -> None:
    first = write(tx, CASES)
    replay(tx, "run-1", first, "a", "b")
    second = write(tx, [CASES[0], case("a", "Is 11 prime?")], minute=1)
    replay(tx, "run-2", second, "a", "b", model="gpt-5")
    found = {each.case_id: each for each in access.exposures(tx, "primes", second, at(10))}
    assert (found["b"].calls, found["a"].calls) == (2, 1)
    assert access.providers(tx, "primes") == {"api.example.com": 4}


def test_recent_calls_are_those_of_the_last_thirty_days(tx: Tx) -> None:
    first = write(tx, CASES)
    replay(tx, "run-1", first, "a")
    replay(tx, "run-2", first, "a", minute=60 * 24 * 40)
    found = {e.case_id: e for e in access.exposures(tx, "primes", first, START + timedelta(days=45))}
    assert (found["a"].calls, found["a"].recent_calls) == (2, 1)


def test_what_was_replayed_before_the_ledger_is_in_it_after_the_migration(tmp_path: Path) -> None:
    path = tmp_path / "driftd.duckdb"
    known = known_migrations()
    number = next(each.version for each in known if each.name == "case_access")
    store = Store.open(path, clock=build.HandClock())
    with store.write() as tx:
        first = write(tx, CASES)
        manifest = {"target": {"base_url": "https://api.example.com/v1", "model": "gpt-4"}}
        runs.insert(
            tx, build.run("run-1", set_name="primes", set_kind=SetKind.FROZEN, revision=first, manifest=manifest)
        )
        outcomes.append(tx, "run-1", [build.answer("a", build.score(1.0)), build.failed_call("b")], None)
    store.close()
    with duckdb.connect(path) as connection:
        connection.execute("SET TimeZone = 'UTC'")
        connection.execute("DROP VIEW case_access; DROP TABLE case_replay")
        connection.execute("DELETE FROM schema_migration WHERE version >= $n", {"n": number})
        migrate(connection, [each for each in known if each.version <= number], path, START)
        rows = connection.execute("SELECT case_id, provider, model, calls FROM case_access ORDER BY case_id").fetchall()
    attempts = build.failed_call("b").outcome.attempts
    assert rows == [("a", "api.example.com", "gpt-4", 1), ("b", "api.example.com", "gpt-4", attempts)]
