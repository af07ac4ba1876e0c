from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from statistics import fmean

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.domain.run import CaseResult
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.migrations import known_migrations, migrate
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import nights, outcomes, runs
from monitor.store.runs.outcomes import CategoryCount, FailureCount
from monitor.store.sets import revisions as evalsets
from replay.types import JudgedBy, Label, Score, ScoredOutcome, ToolCall
from tests.store.build import (
    HandClock,
    answer,
    at,
    failed_call,
    revision,
    run,
    score,
    stored_case,
    undone,
)


def seal(text: str, context: str) -> bytes:
    return f"{context}:{text}"[::-1].encode()


def open_sealed(sealed: bytes, context: str) -> str:
    found, _, text = sealed.decode()[::-1].partition(":")
    assert found == context
    return text


def with_cases(tx: Tx, *case_ids: str, run_id: str = "r", categories: Iterable[str] = ()) -> None:
    names = [*categories] or ["prime"] * len(case_ids)
    pairs = zip(case_ids, names, strict=True)
    evalsets.insert(tx, revision(), [stored_case(case_id, n, category=name) for n, (case_id, name) in enumerate(pairs)])
    runs.insert(tx, run(run_id, samples=4))


def results(tx: Tx, run_id: str = "r") -> dict[str, tuple[float | None, int, str]]:
    return {row.case_id: (row.value, row.samples, row.failure_category) for row in outcomes.case_results(tx, run_id)}


def test_an_outcome_and_its_verdicts_come_back_as_they_were(tx: Tx) -> None:
    actual = answer(
        "a",
        score(1.0, "exact"),
        score(0.25, "judge", "off_topic"),
        finish_reason="stop",
        model="gpt-4-0314",
        reported_at=at(-5),
        system_fingerprint="fp",
        response_id="resp",
        input_tokens=12,
        output_tokens=3,
        cost_usd=0.0007,
        reported={"resample": "0.3"},
        ttft_ms=3.5,
        tool_calls=(ToolCall(id="1", name="find_order", arguments='{"order": 7}', result="shipped"),),
        turns=("the first answer", "answer of a"),
    )
    with_cases(tx, "a")
    outcomes.append(tx, "r", [actual], None)
    [row] = outcomes.page(tx, "r", PageQuery(), None).items
    reply = actual.outcome.reply
    assert reply is not None
    assert (row.text, row.latency_ms, row.model, row.reported) == (
        "answer of a",
        12.5,
        "gpt-4-0314",
        {"resample": "0.3"},
    )
    assert (row.reported_at, row.cost_usd, row.input_tokens, row.ttft_ms) == (at(-5), 0.0007, 12, 3.5)
    assert (row.tool_calls, row.turns) == (reply.tool_calls, reply.turns)
    assert [(s.scorer, s.value, s.failure_category, s.reason) for s in row.scores] == [
        ("exact", 1.0, "none", "why exact"),
        ("judge", 0.25, "off_topic", "why judge"),
    ]


def test_a_sample_is_answered_once_and_its_first_verdict_stays(tx: Tx) -> None:
    with_cases(tx, "a", "b")
    outcomes.append(tx, "r", [answer("a", score(1.0)), answer("a", score(0.0))], None)
    outcomes.append(tx, "r", [answer("a", score(0.0)), answer("a", score(0.0), sample=1), failed_call("b")], None)
    outcomes.append(tx, "r", [], None)
    assert outcomes.answered(tx, "r") == {("a", 0), ("a", 1), ("b", 0)}
    assert outcomes.answered(tx, "s") == set()
    assert results(tx)["a"] == (0.5, 2, "wrong_answer")


def test_the_same_sample_of_another_run_is_another_outcome(tx: Tx) -> None:
    with_cases(tx, "a")
    runs.insert(tx, run("s"))
    outcomes.append(tx, "r", [answer("a", score(1.0))], None)
    outcomes.append(tx, "s", [answer("a", score(0.0))], None)
    assert (results(tx)["a"][0], results(tx, "s")["a"][0]) == (1.0, 0.0)


def test_sealed_texts_open_with_their_context_alone_and_stay_closed_without(tx: Tx) -> None:
    with_cases(tx, "a")
    outcomes.append(tx, "r", [answer("a", score(0.0, "judge"))], seal)
    [closed] = outcomes.page(tx, "r", PageQuery(), None).items
    assert (closed.text, closed.scores[0].reason, closed.scores[0].value) == (None, None, 0.0)
    [opened] = outcomes.page(tx, "r", PageQuery(), open_sealed).items
    assert (opened.text, opened.scores[0].reason) == ("answer of a", "why judge")


def test_calls_of_tools_are_sealed_like_the_text(tx: Tx) -> None:
    with_cases(tx, "a", "b")
    call = ToolCall(id="1", name="find_order", arguments='{"order": 7}')
    outcomes.append(tx, "r", [answer("a", score(0.0), tool_calls=(call,)), answer("b", score(0.0))], seal)
    closed = {row.case_id: row.tool_calls for row in outcomes.page(tx, "r", PageQuery(), None).items}
    assert closed == {"a": None, "b": ()}
    opened = {row.case_id: row.tool_calls for row in outcomes.page(tx, "r", PageQuery(), open_sealed).items}
    assert opened == {"a": (call,), "b": ()}


def test_turns_are_sealed_like_the_text(tx: Tx) -> None:
    with_cases(tx, "a", "b")
    turns = ("the first answer", "answer of a")
    outcomes.append(tx, "r", [answer("a", score(0.0), turns=turns), answer("b", score(0.0))], seal)
    closed = {row.case_id: row.turns for row in outcomes.page(tx, "r", PageQuery(), None).items}
    assert closed == {"a": None, "b": ()}
    opened = {row.case_id: row.turns for row in outcomes.page(tx, "r", PageQuery(), open_sealed).items}
    assert opened == {"a": turns, "b": ()}


def test_nothing_readable_of_a_sealed_outcome_is_in_the_file(store: FileStore) -> None:
    with store.write() as tx:
        with_cases(tx, "a", "b")
        outcomes.append(tx, "r", [answer("a", score(0.0, "judge"), turns=("first turn",)), failed_call("b")], seal)
    store.close()
    kept = b"".join(path.read_bytes() for path in store.path.parent.iterdir())
    assert b"timeout" in kept  # the class of the error is kept
    for private in (b"answer of a", b"first turn", b"why judge", b"Is 7 prime"):
        assert private not in kept


def test_the_outcomes_of_one_case_come_by_sample_with_their_verdicts(tx: Tx) -> None:
    with_cases(tx, "a", "b")
    rows = [answer("a", score(0.0), sample=1), answer("b", score(1.0)), answer("a", score(1.0))]
    outcomes.append(tx, "r", rows, seal)
    found = outcomes.of_case(tx, "r", "a", open_sealed)
    assert [(row.case_id, row.sample, row.text, row.scores[0].value) for row in found] == [
        ("a", 0, "answer of a", 1.0),
        ("a", 1, "answer of a", 0.0),
    ]
    assert [row.text for row in outcomes.of_case(tx, "r", "a", None)] == [None, None]
    assert outcomes.of_case(tx, "s", "a", None) == []


def test_an_error_keeps_its_message_when_the_set_is_open(tx: Tx) -> None:
    with_cases(tx, "a")
    outcomes.append(tx, "r", [failed_call("a")], None)
    [row] = outcomes.page(tx, "r", PageQuery(), None).items
    assert (row.text, row.error_class) == (None, "timeout")
    assert row.error_message == "no answer to 'Is 7 prime?' within 60 s"


def test_walking_the_outcomes_sees_every_sample_once(tx: Tx) -> None:
    with_cases(tx, "a")
    outcomes.append(tx, "r", [answer("a", score(1.0), sample=n, started_at=at(n // 2)) for n in range(12)], None)
    seen, cursor = [], None
    while True:
        page = outcomes.page(tx, "r", PageQuery(limit=5, cursor=cursor), None)
        seen += [(row.sample, len(row.scores)) for row in page.items]
        if (cursor := page.next_cursor) is None:
            break
    assert sorted(seen) == [(n, 1) for n in range(12)]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], (None, 0, "none")),
        ([answer("a", score(1.0))], (1.0, 1, "none")),
        ([answer("a", score(1.0), score(0.0, "judge", "rude"))], (0.0, 1, "rude")),
        ([answer("a", score(1.0), score(None, "judge"))], (None, 0, "none")),
        ([answer("a", score(1.0), score(None, "judge", decides=False))], (1.0, 1, "none")),
        ([answer("a", score(1.0), score(0.0, "judge", "rude", decides=False))], (1.0, 1, "none")),
        ([answer("a", score(0.2, component="x", failure_category="bad"), score(1.0, decides=False))], (0.2, 1, "bad")),
        ([answer("a", score(0.0, decides=False))], (None, 0, "none")),
        ([answer("a")], (None, 0, "none")),
        ([failed_call("a")], (None, 0, "none")),
        ([answer("a", score(1.0)), answer("a", score(None), sample=1)], (1.0, 1, "none")),
        ([answer("a", score(1.0)), answer("a", score(0.4, failure_category="late"), sample=1)], (0.7, 2, "late")),
        (
            [
                answer("a", score(0.2, failure_category="late")),
                answer("a", score(0.1, failure_category="rude"), sample=1),
                answer("a", score(0.6, failure_category="near"), sample=2),
            ],
            (pytest.approx(0.3), 3, "rude"),
        ),
    ],
)
def test_scores_are_folded_to_cases(tx: Tx, rows: list[ScoredOutcome], expected: tuple[float | None, int, str]) -> None:
    with_cases(tx, "a")
    outcomes.append(tx, "r", rows, None)
    assert results(tx) == {"a": expected}


def test_what_a_case_was_asked_once_more_is_kept_and_judges_nothing(tx: Tx) -> None:
    with_cases(tx, "a")
    again = answer("a", score(0.0), sample=4)
    outcomes.append(tx, "r", [answer("a", score(1.0)), again], None)
    assert results(tx) == {"a": (1.0, 1, "none")}
    assert outcomes.answered(tx, "r") == {("a", 0), ("a", 4)}


def fold(samples: list[list[Score]]) -> tuple[float | None, bool | None, int, str]:
    """The aggregation rule, written plainly: see CaseResult."""
    scored = [scores for scores in samples if scores and all(s.value is not None for s in scores)]
    values = [min(s.value or 0.0 for s in scores) for scores in scored]
    failed = [number for number, scores in enumerate(scored) if any(s.label == "fail" for s in scores)]
    worst = min(failed, key=lambda number: values[number], default=None)
    category = "none"
    if worst is not None:
        failing = [s for s in scored[worst] if s.label == "fail"]
        category = min(failing, key=lambda s: (s.value, s.scorer)).failure_category
    passed = 2 * (len(scored) - len(failed)) >= len(scored) if scored else None
    return (fmean(values) if values else None, passed, len(values), category)


VALUES = st.sampled_from([None, 0.0, 0.25, 0.5, 1.0])
GRADES = st.tuples(VALUES, st.booleans())  # a scorer has a threshold of its own: the value does not decide the label
SAMPLES = st.lists(st.lists(GRADES, max_size=3), max_size=4)


def graded(value: float | None, passes: bool, scorer: str, failure_category: str) -> Score:
    if value is None:
        return score(None, scorer, failure_category)
    label: Label = "pass" if passes else "fail"
    return replace(score(value, scorer, "none" if passes else failure_category), label=label)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(cases=st.lists(SAMPLES, min_size=1, max_size=4))
def test_the_sql_folds_as_the_words_do(store: Store, cases: list[list[list[tuple[float | None, bool]]]]) -> None:
    scored = [
        [
            [graded(value, passes, f"s{k}", f"kind-{n}-{k}") for k, (value, passes) in enumerate(sample)]
            for n, sample in enumerate(samples)
        ]
        for samples in cases
    ]
    rows = [
        answer(f"c{n}", *scores, sample=sample)
        for n, samples in enumerate(scored)
        for sample, scores in enumerate(samples)
    ]
    with undone(store) as tx:
        with_cases(tx, *(f"c{n}" for n in range(len(cases))))
        outcomes.append(tx, "r", rows, None)
        found = {
            row.case_id: (row.value, row.passed, row.samples, row.failure_category)
            for row in outcomes.case_results(tx, "r")
        }
    expected = {f"c{n}": fold(samples) for n, samples in enumerate(scored)}
    assert {case_id: (value, *rest) for case_id, (value, *rest) in found.items()} == {
        case_id: (value if value is None else pytest.approx(value), *rest)
        for case_id, (value, *rest) in expected.items()
    }


def test_a_reply_below_the_threshold_of_its_scorer_is_a_failure_in_every_count(tx: Tx) -> None:
    with_cases(tx, "a", "b")
    outcomes.append(tx, "r", [answer("a", graded(0.6, False, "f1", "vague")), answer("b", score(0.6))], None)
    card = outcomes.breakdown(tx, ["r"])["r"]
    assert (card.scored, card.passed) == (2, 1)
    assert card.failure_categories == [FailureCount(failure_category="vague", count=1)]
    found = {row.case_id: row.passed for row in outcomes.case_results(tx, "r", "f1")}
    assert found == {"a": False, "b": None}


def test_case_results_follow_the_positions_of_the_revision(tx: Tx) -> None:
    with_cases(tx, "b", "a")
    assert outcomes.case_results(tx, "r") == [
        CaseResult(
            case_id=case_id,
            category="prime",
            severity="medium",
            content_mac=f"mac-{case_id}",
            value=None,
            samples=0,
            passed=None,
            failure_category="none",
        )
        for case_id in ("b", "a")
    ]


def test_a_breakdown_counts_cases_and_not_samples(tx: Tx) -> None:
    with_cases(tx, "a", "b", "c", "d", categories=["prime", "prime", "composite", "composite"])
    outcomes.append(
        tx,
        "r",
        [
            answer("a", score(1.0), cost_usd=0.25),
            answer("a", score(1.0), sample=1, cost_usd=0.5),
            answer("b", score(0.0, failure_category="late")),
            answer("b", score(0.0, failure_category="late"), sample=1),
            answer("c", score(0.0, failure_category="late")),
            failed_call("d"),
        ],
        None,
    )
    counted = outcomes.breakdown(tx, ["r", "unknown", "r"])
    actual = counted["r"]
    assert (actual.outcomes, actual.scored, actual.passed, actual.cost_usd) == (6, 3, 1, 0.75)
    assert actual.categories == [
        CategoryCount(category="composite", scored=1, passed=0),
        CategoryCount(category="prime", scored=2, passed=1),
    ]
    assert actual.failure_categories == [FailureCount(failure_category="late", count=2)]
    assert (counted["unknown"].scored, counted["unknown"].categories, counted["unknown"].cost_usd) == (0, [], None)


def test_a_resumed_run_is_told_what_it_has_without_texts(tx: Tx) -> None:
    with_cases(tx, "a", "b", "c")
    sent = [answer("a", score(0.0), input_tokens=7, reported={"x": "1"}), answer("b", score(None)), failed_call("c")]
    outcomes.append(tx, "r", sent, seal)
    actual = {outcome.case_id: (outcome, scored) for outcome, scored in outcomes.outcome_summaries(tx, "r")}
    assert {case_id: scored for case_id, (_, scored) in actual.items()} == {"a": True, "b": False, "c": False}
    reply = actual["a"][0].reply
    assert reply is not None
    assert (reply.text, reply.input_tokens, reply.latency_ms, reply.reported) == ("", 7, 12.5, {"x": "1"})
    assert (actual["c"][0].reply, actual["c"][0].error_class, actual["c"][0].attempts) == (None, "timeout", 4)


def test_the_scores_of_an_older_file_are_all_part_of_the_verdict(path: Path) -> None:
    known = known_migrations()
    metrics = next(step.version for step in known if step.name == "metrics")
    with duckdb.connect(str(path)) as old:
        migrate(old, known[: metrics - 1], path, at(0))
        old.execute(
            "INSERT INTO run BY NAME SELECT 'r' AS id, 'bot' AS deployment, 'primes' AS set_name,"
            " 'dynamic' AS set_kind, 'r1' AS revision, 'manual' AS trigger, now() AS planned_at,"
            " 'complete' AS state, 'p' AS trace_prefix,"
            " 1 AS samples, 1 AS cases"
        )
        old.execute(
            "INSERT INTO eval_case BY NAME SELECT 'primes' AS set_name, 'r1' AS revision, 0 AS position,"
            " 'a' AS case_id, 'prime' AS category, 'medium' AS severity, 'x'::BLOB AS content,"
            " 'm' AS content_mac, 'i' AS input_mac"
        )
        old.execute(
            "INSERT INTO score BY NAME SELECT 'r' AS run_id, 'a' AS case_id, 0 AS sample, scorer,"
            " '1' AS scorer_version, value, 'fail' AS label, 'late' AS failure_category, 'why' AS reason"
            " FROM (VALUES ('exact', 1.0), ('judge', 0.25)) AS given (scorer, value)"
        )
    store = Store.open(path, clock=HandClock())
    with store.read() as tx:
        stored, judges = results(tx), nights.judges_of(tx, ["r"])
    store.close()
    assert stored == {"a": (0.25, 1, "late")}
    assert judges == {"exact 1, judge 1"}


def test_a_score_of_a_judge_comes_back_with_its_component_and_its_judge(tx: Tx) -> None:
    judge = JudgedBy(model="judge-1", prompt_hash="p", rubric_version="3")
    scores = [score(0.5, "rubric", raw=3.0, judged_by=judge), score(0.25, "rubric", component="style", decides=False)]
    with_cases(tx, "a")
    outcomes.append(tx, "r", [answer("a", *scores)], seal)
    [row] = outcomes.page(tx, "r", PageQuery(), open_sealed).items
    assert [(each.metric, each.decides, each.raw, each.judged_by, each.reason) for each in row.scores] == [
        ("rubric", True, 3.0, judge, "why rubric"),
        ("rubric.style", False, None, None, "why rubric"),
    ]
    sealed = [row["reason_sealed"] for row in tx.query("sealed_scores_of_run", run_id="r")]
    assert len(set(sealed)) == 2  # a reason opens only as the reason of its own component


def test_a_new_version_of_a_watched_scorer_is_not_another_judge(tx: Tx) -> None:
    with_cases(tx, "a")
    watched = score(0.0, "style", decides=False)
    outcomes.append(tx, "r", [answer("a", score(1.0, component="x"), watched)], None)
    assert nights.judges_of(tx, ["r"]) == {"exact.x 1"}
    assert outcomes.outcome_summaries(tx, "r")[0][1]
