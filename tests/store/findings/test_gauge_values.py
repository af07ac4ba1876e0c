from datetime import timedelta

from monitor.domain.finding import Verdict
from monitor.domain.run import RunState
from monitor.store.engine.database import Tx
from monitor.store.findings import findings
from monitor.store.findings import gauge_values as levels
from monitor.store.runs import outcomes, runs
from monitor.store.sets import revisions as evalsets
from monitor.store.traffic import feedback as stored_feedback
from monitor.store.traffic import interactions
from tests.store.build import (
    START,
    answer,
    at,
    complete_run,
    failed_call,
    feedback,
    finding,
    interaction,
    revision,
    run,
    score,
    stored_case,
)

HOUR = timedelta(hours=1)


def test_the_newest_complete_run_of_each_pair_is_the_one_that_finished_last(tx: Tx) -> None:
    runs.insert(tx, complete_run("old", at(1)))
    runs.insert(tx, complete_run("new", at(2)))
    runs.insert(tx, complete_run("words", at(1), set_name="words"))
    runs.insert(tx, complete_run("ahead", at(900)))  # written while the clock was ahead
    runs.insert(tx, run("failed", state=RunState.FAILED, finished_at=at(3)))
    assert levels.newest_complete_runs(tx, at(10)) == {("support", "primes"): "new", ("support", "words"): "words"}


def test_a_pass_rate_is_over_scored_cases_and_a_run_without_any_has_none(tx: Tx) -> None:
    cases = [stored_case(case_id, n) for n, case_id in enumerate("abcd")]
    evalsets.insert(tx, revision(cases=len(cases)), cases)
    rows = [answer("a", score(1.0)), answer("b", score(0.0)), answer("c", score(1.0)), failed_call("d", score(None))]
    for run_id, written in (("r", rows), ("empty", rows[3:])):
        runs.insert(tx, complete_run(run_id, at(1)))
        outcomes.append(tx, run_id, written, None)
    assert levels.pass_rates(tx, ["r", "empty"]) == {"r": 2 / 3}


def test_a_verdict_is_ok_improvement_or_regression(tx: Tx) -> None:
    for minute, verdict in enumerate((Verdict.OK, Verdict.REGRESSION, Verdict.INSUFFICIENT, Verdict.FAILED)):
        findings.insert(tx, finding(f"f{minute}", verdict=verdict, at=at(minute)))
    findings.insert(tx, finding("w", set_name="words", verdict=Verdict.INSUFFICIENT, at=at(9)))
    assert levels.newest_verdicts(tx) == {("support", "primes"): at(1)}


def test_corrections_are_counted_for_each_production_call_of_the_window(tx: Tx) -> None:
    calls = [interaction(f"i{n}", started_at=START + n * HOUR) for n in range(4)]
    replay = interaction("replay", origin="replay")
    interactions.insert(tx, [*calls, replay, interaction("other", deployment="search")])
    stored_feedback.insert(tx, [feedback("c", is_correction=True), feedback("old", is_correction=True, at=at(-60))])
    stored_feedback.insert(tx, [feedback("thumb", is_correction=False)])
    rates = levels.correction_rates(tx, START, START + 3 * HOUR)
    assert rates == {"support": 1 / 3, "search": 0.0}
