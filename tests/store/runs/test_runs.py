import pytest

from monitor.domain.future_instant import FutureInstant
from monitor.domain.run import RunState
from monitor.errors import NotFound
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import findings
from monitor.store.runs import runs
from tests.store.build import START, at, complete_run, finding, run


def test_a_run_comes_back_as_it_was(tx: Tx) -> None:
    kept = complete_run("r", at(9), change_id="c", version="v", manifest={"target": {"model": "gpt-4"}}, error="none")
    runs.insert(tx, kept)
    assert runs.get(tx, "r") == kept
    assert runs.page(tx, PageQuery()).items == [kept]
    assert runs.get(tx, "s") is None


def test_an_interrupted_run_is_due_before_the_oldest_plan(tx: Tx) -> None:
    assert runs.due(tx, at(9)) == []
    runs.insert(tx, run("late", planned_at=at(2)))
    runs.insert(tx, run("early", planned_at=at(1)))
    runs.insert(tx, complete_run("done", at(9), planned_at=at(0)))
    assert [due.id for due in runs.due(tx, at(9))] == ["early"]
    runs.set_running(tx, "late", at(3))
    assert [due.id for due in runs.due(tx, at(9))] == ["late"]


def test_each_deployment_has_one_run_that_is_due(tx: Tx) -> None:
    for number, deployment in enumerate(("bot", "bot", "search", "mail")):
        runs.insert(tx, run(f"r{number}", deployment=deployment, planned_at=at(9 - number)))
    runs.postpone(tx, "r3", at(60), "its target is out")
    assert [(due.deployment, due.id) for due in runs.due(tx, at(10))] == [("search", "r2"), ("bot", "r1")]


def test_a_run_taken_up_again_keeps_its_first_start(tx: Tx) -> None:
    runs.insert(tx, run("r"))
    runs.set_running(tx, "r", at(1))
    runs.set_running(tx, "r", at(7))
    kept = runs.get(tx, "r")
    assert kept is not None
    assert (kept.state, kept.started_at) == (RunState.RUNNING, at(1))


def test_finishing_writes_down_how_it_ended(tx: Tx) -> None:
    runs.insert(tx, run("r"))
    runs.finish(tx, "r", RunState.FAILED, None, at(4), None, "no reply at all")
    kept = runs.get(tx, "r")
    assert kept is not None
    assert (kept.state, kept.finished_at, kept.manifest, kept.error) == (
        RunState.FAILED,
        at(4),
        None,
        "no reply at all",
    )
    runs.finish(tx, "r", RunState.COMPLETE, "v1", at(5), {"cases": 2}, None)
    kept = runs.get(tx, "r")
    assert kept is not None
    assert (kept.state, kept.version, kept.manifest, kept.error) == (RunState.COMPLETE, "v1", {"cases": 2}, None)


def test_a_run_that_is_not_there_is_told(tx: Tx) -> None:
    with pytest.raises(NotFound, match="run 'r' is unknown"):
        runs.set_running(tx, "r", START)
    with pytest.raises(NotFound, match="run 'r' is unknown"):
        runs.finish(tx, "r", RunState.COMPLETE, None, START, None, None)


def test_a_run_is_given_the_change_it_answers_for(tx: Tx) -> None:
    runs.insert(tx, run("r"))
    runs.set_change(tx, "r", "change-1")
    kept = runs.get(tx, "r")
    assert kept is not None
    assert kept.change_id == "change-1"
    with pytest.raises(NotFound, match="run 's' is unknown"):
        runs.set_change(tx, "s", "change-1")


def test_the_runs_of_a_set_are_its_complete_ones_oldest_first(tx: Tx) -> None:
    runs.insert(tx, complete_run("b", at(2)))
    runs.insert(tx, complete_run("a", at(1)))
    runs.insert(tx, run("planned"))
    runs.insert(tx, complete_run("other", at(1), set_name="words"))
    runs.insert(tx, complete_run("search", at(1), deployment="search"))
    assert [item.id for item in runs.of_set(tx, "support", "primes")] == ["a", "b"]


def test_finished_runs_wait_for_a_finding(tx: Tx) -> None:
    runs.insert(tx, complete_run("b", at(2)))
    runs.insert(tx, run("a", state=RunState.FAILED, finished_at=at(1)))
    runs.insert(tx, run("planned"))
    assert [item.id for item in runs.uncompared(tx)] == ["a", "b"]
    findings.insert(tx, finding("f", candidate_run="a"))
    assert [item.id for item in runs.uncompared(tx)] == ["b"]


def test_echoes_are_expected_of_open_runs_and_of_those_finished_lately(tx: Tx) -> None:
    runs.insert(tx, run("planned", trace_prefix="p"))
    runs.insert(tx, run("running", state=RunState.RUNNING, trace_prefix="r"))
    runs.insert(tx, complete_run("lately", at(5), trace_prefix="l"))
    runs.insert(tx, complete_run("long ago", at(1), trace_prefix="o"))
    assert runs.active_trace_prefixes(tx, at(5)) == {"p": "planned", "r": "running", "l": "lately"}


def test_an_instant_of_a_schedule_is_handled_once(tx: Tx) -> None:
    assert runs.last_instant(tx, "nightly", "support", at(20)) is None
    assert runs.record_instant(tx, "nightly", "support", at(10), at(11))
    assert not runs.record_instant(tx, "nightly", "support", at(10), at(12))
    assert runs.record_instant(tx, "nightly", "search", at(10), at(12))
    assert runs.record_instant(tx, "nightly", "support", at(5), at(12))
    assert runs.last_instant(tx, "nightly", "support", at(20)) == at(10)


def test_an_instant_recorded_while_the_clock_was_ahead_is_listed_and_is_not_the_last(tx: Tx) -> None:
    runs.record_instant(tx, "nightly", "support", at(3), at(3))
    runs.record_instant(tx, "nightly", "support", at(40), at(40))
    assert runs.last_instant(tx, "nightly", "support", at(10)) == at(3)
    assert runs.future_instants(tx, at(10)) == [FutureInstant(schedule="nightly", deployment="support", instant=at(40))]
    assert runs.future_instants(tx, at(40)) == []


def test_the_open_run_of_a_pair_is_found(tx: Tx) -> None:
    runs.insert(tx, complete_run("done", at(1)))
    runs.insert(tx, run("other", set_name="words"))
    assert runs.open_pair(tx, "support", "primes") is None
    runs.insert(tx, run("planned", planned_at=at(2)))
    runs.insert(tx, run("running", planned_at=at(1), state=RunState.RUNNING))
    assert (found := runs.open_pair(tx, "support", "primes")) is not None
    assert found.id == "running"


def test_whose_turn_it_is_goes_on_with_every_run_that_repeats_cases_of_the_set(tx: Tx) -> None:
    assert runs.next_repeat_offset(tx, "support", "primes") == 0
    runs.insert(tx, run("r0", repeat_offset=6))
    runs.insert(tx, run("r1", repeat_offset=7, repeats=3))
    runs.insert(tx, run("r2", repeat_offset=9, repeats=3, set_name="other"))
    assert runs.next_repeat_offset(tx, "support", "primes") == 8
    assert runs.next_repeat_offset(tx, "other", "primes") == 0
