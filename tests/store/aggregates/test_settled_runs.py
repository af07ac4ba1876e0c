"""Stored results of ended runs are what their scores give, whatever changes the scores."""

import re
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import monitor.store
from monitor.domain.evalset import SetKind
from monitor.domain.metric import MetricNight
from monitor.domain.run import CaseResult, RunState
from monitor.drift.judge.pairing import count_flips, pair_cases
from monitor.jobs.maintenance.settle_loop import SettleLoop
from monitor.store.aggregates import settled_runs
from monitor.store.engine.database import Store, Tx
from monitor.store.maintenance.erase_cases import remove_cases
from monitor.store.runs import failure_shares, imports, metric_nights, nights, outcomes, runs
from monitor.store.runs.split_run import move
from monitor.store.sets import sealed_sets
from replay.evalsets.dynamic.parts import CORRECTED, SAMPLED, with_part
from replay.types import Case, Message, ScoredOutcome
from tests.properties import examples
from tests.store.build import HandClock, answer, at, complete_run, run, score, undone

CASES = "abcd"
PARTS = (None, CORRECTED, SAMPLED, SAMPLED)
RUNS = ("r", "s", "t")
SQL = Path(monitor.store.__file__).parent / "sql"
CHANGES_SCORES = {
    "fold_score_ends",  # no reader sees a difference
    "insert_scores_of_new_outcomes",  # outcomes.append
    "move_scores",  # split_run.move
    "remove_scores_of_cases",  # erase_cases.remove_cases
    "remove_scores_of_runs",  # retention.expire
    "reseal_scores",  # changes encrypted reasons only
}
CHANGES_ENDS = {
    "end_scores",  # split_run.move
    "end_scores_of_run",  # imports.discard
    "forget_score_ends",  # fold
}
STORED = ("case_verdict", "run_judge", "run_metric", "run_tally", "settled_run")
CELLS = ("night", "case", "count", "first", "second", "third")


def furnish(tx: Tx) -> None:
    plain = [Case(id=name, input=(Message(role="user", content=name),), category=f"c{ord(name) % 2}") for name in CASES]
    cases = [with_part(case, part) for case, part in zip(plain, PARTS, strict=True)]
    kept, _ = sealed_sets.write_revision(
        tx, name="primes", kind=SetKind.DYNAMIC, cases=cases, sealer=None, now=at(0), origin="test"
    )
    for n, name in enumerate(RUNS):
        runs.insert(tx, complete_run(name, at(n), samples=1 if name == "t" else 2, revision=kept.revision))


def known(tx: Tx) -> Any:
    """Return everything that is read from stored results."""
    streaks = [outcomes.passing_streaks(tx, "support", "primes", name) for name in RUNS]
    chosen = outcomes.passing_streaks(tx, "support", "primes", "t", cases=["a", "d"])
    assert chosen == {case_id: nights for case_id, nights in streaks[2].items() if case_id in {"a", "d"}}
    results = {name: outcomes.case_results(tx, name) for name in RUNS}
    pairs = [("r", "s"), ("s", "t"), ("r", "t")]
    flips = {cases: outcomes.flips(tx, pairs, cases) for cases in (None, ("a", "c"))}
    assert flips[None] == counted_flips(results, pairs)
    metrics = metric_nights.of_set(tx, "support", "primes", nights=10)
    assert metrics == from_every_score(tx)
    failures = failure_shares.of_set(tx, "support", "primes", runs=10)
    return outcomes.breakdown(tx, RUNS), results, streaks, flips, night_rows(tx), metrics, failures


def from_every_score(tx: Tx) -> list[MetricNight]:
    """Return the nights of each metric, folded from every score."""
    all_scores = tx._cursor.sql("FROM current_score").to_arrow_table().to_pylist()
    found = []
    for run_ in (runs.get(tx, name) for name in RUNS):
        assert run_ is not None
        assert run_.finished_at is not None
        by_metric: dict[str | None, dict[str, list[tuple[float, bool]]]] = {}
        scores = [row for row in all_scores if row["run_id"] == run_.id and row["sample"] < run_.samples]
        for row in scores:
            if row["value"] is not None:
                cases = by_metric.setdefault(row["scorer"], {})
                cases.setdefault(row["case_id"], []).append((row["value"], row["decides"] is not False))
        samples: dict[tuple[str, int], list[float | None]] = {}
        for row in scores:
            if row["decides"] is not False:
                samples.setdefault((row["case_id"], row["sample"]), []).append(row["value"])
        for (case_id, _), values_ in samples.items():
            if None not in values_:
                folded = min(value for value in values_ if value is not None)
                by_metric.setdefault(None, {}).setdefault(case_id, []).append((folded, True))
        found += [
            MetricNight(
                metric=metric,
                run_id=run_.id,
                at=run_.finished_at,
                version=run_.version,
                revision=run_.revision,
                mean=fmean(fmean(value for value, _ in values) for values in cases.values()),
                scored=len(cases),
                decides=any(decides for values in cases.values() for _, decides in values),
            )
            for metric, cases in sorted(by_metric.items(), key=lambda item: item[0] or "")
        ]
    return found


def counted_flips(results: dict[str, list[CaseResult]], pairs: list[tuple[str, str]]) -> tuple[int, int]:
    found = [count_flips(pair_cases(results[before], results[after])) for before, after in pairs]
    return sum(flips.n for flips in found), sum(flips.discordant for flips in found)


def night_rows(tx: Tx) -> Any:
    """Return the nights of the set with their sums and failures, in an order of their own."""
    rows = nights.of_set(tx, "support", "primes", until_run=None, since=None)
    sums = [
        sorted(zip(*(getattr(cells, name).tolist() for name in CELLS), strict=True))
        for cells in (rows.cells, rows.repeats)
    ]
    failed = rows.failures
    failures = sorted(zip(failed.night.tolist(), failed.case.tolist(), failed.name, failed.count.tolist(), strict=True))
    return rows.nights, rows.case_ids, sums, failures


def from_scores(tx: Tx) -> Any:
    settled_runs.unsettle(tx, RUNS)
    assert not settled(tx)
    return known(tx)


def settled(tx: Tx) -> set[str]:
    return {row["run_id"] for row in tx.query("settled_runs_of", run_ids=list(RUNS))}


def scored(case_id: str, sample: int, *values: float | None) -> ScoredOutcome:
    verdicts = [score(value, f"scorer-{n}", decides=None if n else True) for n, value in enumerate(values)]
    return answer(case_id, *verdicts, sample=sample)


values = st.sampled_from([None, 0.0, 0.5, 1.0])
answers = st.builds(scored, st.sampled_from(CASES), st.integers(0, 3), values, values)
run_ids = st.sampled_from(RUNS)
appends = st.tuples(st.just("append"), run_ids, st.lists(answers, max_size=6))
moves = st.tuples(st.just("move"), run_ids, st.lists(st.tuples(st.sampled_from(CASES), st.integers(0, 3)), max_size=3))
others = st.tuples(st.sampled_from(["settle", "erase", "discard"]), run_ids, st.sampled_from(CASES))
steps = st.lists(st.one_of(appends, appends, moves, others, others), max_size=8)


def apply(tx: Tx, kind: str, run_id: str, given_: Any) -> None:
    work: dict[str, Callable[[], object]] = {
        "append": lambda: outcomes.append(tx, run_id, given_, None),
        "move": lambda: move(tx, run_id, "s" if run_id == "r" else "r", given_, None),
        "settle": lambda: settled_runs.settle(tx, 2),
        "erase": lambda: remove_cases(tx, "primes", [given_], at(60)),
        "discard": lambda: imports.discard(tx, run_id),
    }
    work[kind]()


@settings(max_examples=examples(16), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_what_is_read_never_depends_on_what_is_settled(store: Store, steps: list[Any]) -> None:
    with undone(store) as tx:
        furnish(tx)
        settled_runs.settle(tx, 10)
        for step in steps:
            if step[0] != "erase" or step[2] in {row.case_id for row in outcomes.case_results(tx, "r")}:
                apply(tx, *step)
        now = known(tx)
        settled_runs.settle(tx, 10)
        assert known(tx) == now
        assert from_scores(tx) == now


@pytest.mark.parametrize("kind", ["append", "move", "erase", "discard"])
def test_a_change_of_the_scores_removes_the_stored_results(tx: Tx, kind: str) -> None:
    furnish(tx)
    outcomes.append(tx, "r", [scored("a", 0, 1.0)], None)
    settled_runs.settle(tx, 10)
    given_ = {"append": [scored("b", 0, 0.0)], "move": [("a", 0)], "erase": "a", "discard": None}[kind]
    apply(tx, kind, "r", given_)
    assert "r" not in settled(tx)


def test_an_open_run_is_not_settled(tx: Tx) -> None:
    furnish(tx)
    runs.insert(tx, run("u"))
    assert settled_runs.settle(tx, 10) == 3
    assert not settled_runs.any_unsettled(tx)
    runs.finish(tx, "u", RunState.FAILED, None, at(9), {}, "no target")
    assert settled_runs.any_unsettled(tx)


def test_the_loop_settles_older_runs_step_by_step_then_waits(store: Store) -> None:
    with store.write() as tx:
        furnish(tx)
    loop = SettleLoop(store=store, clock=HandClock())
    assert loop.step() == 0
    assert loop.step() == 0
    assert loop.poll_s == 5.0
    with store.read() as tx:
        assert settled(tx) == set(RUNS)


@pytest.mark.parametrize(("table", "known_here"), [("score", CHANGES_SCORES), ("score_end", CHANGES_ENDS)])
def test_every_statement_that_changes_scores_is_known_here(table: str, known_here: set[str]) -> None:
    """A new one must unsettle its runs in the same transaction; then add it to the list and to the test above."""
    writes = re.compile(rf"\b(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO) {table}\b")
    assert {path.stem for path in SQL.glob("*.sql") if writes.search(path.read_text())} == known_here
