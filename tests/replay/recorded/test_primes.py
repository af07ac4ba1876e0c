"""The copy of the study's answers gives the study's figures, through the same endpoint and scorer that a night uses."""

from collections import Counter
from statistics import mean

import pytest

from replay.recorded.book import AnswerBook, Serving
from replay.recorded.data import RecordedData
from replay.scorers.table import build_scorer
from replay.types import Reply, Score
from tests.replay.recorded.builders import JUNE, MARCH, primes

SCORER = build_scorer("choice", {"choices": ["Yes", "No"], "pattern": r"\[({choices})\]"})
SEEDS = range(20)


@pytest.fixture(scope="module")
def data() -> RecordedData:
    return primes()


def night(data: RecordedData, book: AnswerBook) -> dict[str, Score]:
    return {
        question.id: SCORER.score(
            question.as_case(), Reply(text=book.answer(question.question, 0).answer.text, latency_ms=1.0)
        )
        for question in data.questions
    }


def own_night(data: RecordedData, snapshot: str) -> dict[str, Score]:
    return night(data, AnswerBook(data, Serving(snapshot=snapshot)))


def rate(scores: dict[str, Score], ids: set[str] | None = None) -> float:
    values = [score.value for case_id, score in scores.items() if ids is None or case_id in ids]
    assert None not in values
    return mean(value for value in values if value is not None)


def test_the_file_holds_500_primes_and_500_composites_of_both_snapshots(data: RecordedData) -> None:
    assert Counter(question.category for question in data.questions) == {"prime": 500, "composite": 500}
    assert (data.snapshots, data.family) == ((MARCH, JUNE), "gpt-4")
    assert {len(answers) for question in data.questions for answers in question.answers.values()} == {1}


@pytest.mark.parametrize(
    ("snapshot", "overall", "composite", "prime", "unmarked"),
    [(MARCH, 0.840, 0.704, 0.976, 4), (JUNE, 0.502, 0.980, 0.024, 53)],
)
def test_the_pass_rates_are_those_of_the_study(
    data: RecordedData, snapshot: str, overall: float, composite: float, prime: float, unmarked: int
) -> None:
    scores = own_night(data, snapshot)
    by_category = {
        category: rate(scores, {question.id for question in data.questions if question.category == category})
        for category in ("prime", "composite")
    }
    assert rate(scores) == pytest.approx(overall, abs=1e-12)
    assert by_category == pytest.approx({"prime": prime, "composite": composite}, abs=1e-12)
    assert sum(score.failure_category == "format" for score in scores.values()) == unmarked


def test_477_answers_flip_to_fail_and_139_to_pass(data: RecordedData) -> None:
    march, june = own_night(data, MARCH), own_night(data, JUNE)
    flips = Counter((march[case_id].label, june[case_id].label) for case_id in march)
    assert (flips["pass", "fail"], flips["fail", "pass"]) == (477, 139)


def test_tokens_add_up_to_the_cost_at_the_price_of_2023(data: RecordedData) -> None:
    answers = [answer for question in data.questions for one in question.answers.values() for answer in one]
    for answer in answers:
        assert answer.input_tokens is not None
        assert answer.output_tokens is not None
        price = (answer.input_tokens * 0.03 + answer.output_tokens * 0.06) / 1000
        assert answer.cost_usd == pytest.approx(price, abs=1e-9)
    assert Counter(answer.input_tokens for answer in answers)[30] == 1996
    assert Counter(answer.finish_reason for answer in answers) == {"stop": 1996, "length": 4}


@pytest.mark.parametrize("snapshot", [MARCH, JUNE])
def test_resampled_nights_differ_while_the_rate_stays(data: RecordedData, snapshot: str) -> None:
    own = own_night(data, snapshot)
    error = (rate(own) * (1 - rate(own)) / len(own)) ** 0.5
    nights = [night(data, AnswerBook(data, Serving(snapshot=snapshot, resample=0.3, seed=seed))) for seed in SEEDS]
    rates = [rate(scores) for scores in nights]
    assert max(abs(one - rate(own)) for one in rates) <= 3 * error
    assert abs(mean(rates) - rate(own)) <= 3 * error / len(SEEDS) ** 0.5
    assert len({tuple(score.label for score in scores.values()) for scores in nights}) == len(SEEDS)


def test_without_resampling_two_nights_are_the_same(data: RecordedData) -> None:
    book = AnswerBook(data, Serving(snapshot=MARCH))
    assert night(data, book) == night(data, book)
