import hashlib
import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from replay.errors import ReplayError
from replay.recorded.book import AnswerBook, Chance, Served, Serving, UnknownCase, answer_key
from tests.replay.recorded.builders import JUNE, MARCH, question, recorded

TEN = recorded(*(question(n, "prime" if n < 6 else "composite") for n in range(10)))


def book(resample: float = 0.0, seed: int = 0) -> AnswerBook:
    return AnswerBook(TEN, Serving(snapshot=MARCH, resample=resample, seed=seed))


def test_the_key_is_the_digest_of_snapshot_and_question() -> None:
    assert answer_key(" Cafe\u0301?\n", MARCH) == hashlib.sha256(f"{MARCH}\nCafé?".encode()).hexdigest()
    assert answer_key("Café?", MARCH) != answer_key("Café?", JUNE)


def test_a_question_is_recognized_whatever_space_stands_around_it() -> None:
    assert book().answer("\n 3? ", None).answer.text == "gpt-4-0314/3/0"


def test_an_unknown_question_has_no_answer_and_is_not_counted() -> None:
    served = book()
    with pytest.raises(UnknownCase):
        served.answer("11?", None)
    assert served.calls() == {}


def test_several_answers_go_by_count_and_cycle() -> None:
    served = AnswerBook(recorded(question(1, answers=3)), Serving(snapshot=MARCH))
    assert [served.answer("1?", None).answer.text[-1] for _ in range(5)] == ["0", "1", "2", "0", "1"]


def test_a_named_sample_gets_the_answer_of_its_index_at_every_call() -> None:
    served = AnswerBook(recorded(question(1, answers=3)), Serving(snapshot=MARCH))
    assert [served.answer("1?", sample).answer.text[-1] for sample in (2, 0, 2, 1, 4)] == ["2", "0", "2", "1", "1"]


def test_calls_are_counted_by_key() -> None:
    served = book()
    numbers = [served.answer("1?", None).number, served.answer("1?", 0).number, served.answer("2?", None).number]
    served.change(Serving(snapshot=JUNE))
    assert served.answer("1?", None).snapshot == JUNE
    assert numbers == [0, 1, 0]
    assert served.calls() == {answer_key("1?", MARCH): 2, answer_key("2?", MARCH): 1, answer_key("1?", JUNE): 1}


def test_without_resampling_every_question_gets_its_own_answer() -> None:
    served = book()
    assert [served.answer(f"{n}?", None).answer.text for n in range(10)] == [f"{MARCH}/{n}/0" for n in range(10)]


def test_resampling_always_takes_another_question_of_the_same_category() -> None:
    served = book(resample=1.0)
    for n in range(10):
        for _ in range(20):
            one = served.answer(f"{n}?", None)
            source = int(one.answer.text.split("/")[1])
            assert source != n
            assert (source < 6) == (n < 6)
            assert one.resampled


def test_a_question_alone_in_its_category_keeps_its_answer() -> None:
    served = AnswerBook(recorded(question(1)), Serving(snapshot=MARCH, resample=1.0))
    one = served.answer("1?", None)
    assert (one.answer.text, one.resampled) == (f"{MARCH}/1/0", False)


def test_resampling_takes_the_share_it_is_told_and_every_other_question_alike() -> None:
    served = book(resample=0.3)
    calls = 20_000
    sources = Counter(served.answer("0?", None).answer.text.split("/")[1] for _ in range(calls))
    assert sources["0"] / calls == pytest.approx(0.7, abs=3 * (0.3 * 0.7 / calls) ** 0.5)
    for other in "12345":
        assert sources[other] / calls == pytest.approx(0.06, abs=4 * (0.06 * 0.94 / calls) ** 0.5)


asks = st.lists(st.tuples(st.integers(0, 9), st.none() | st.integers(0, 2)), min_size=1, max_size=40)


@given(asks, st.integers(), st.randoms(use_true_random=False))
def test_neither_order_nor_company_of_the_calls_changes_an_answer(
    calls: list[tuple[int, int | None]], seed: int, rng: random.Random
) -> None:
    def texts(order: list[tuple[int, int | None]]) -> Counter[tuple[int, int | None, str]]:
        served = book(resample=0.5, seed=seed)
        return Counter((n, sample, served.answer(f"{n}?", sample).answer.text) for n, sample in order)

    shuffled = list(calls)
    rng.shuffle(shuffled)
    assert texts(shuffled) == texts(calls)


def test_other_seeds_and_later_calls_draw_other_answers() -> None:
    def night(served: AnswerBook) -> list[Served]:
        return [served.answer(f"{n}?", 0) for n in range(10)]

    first, other = book(resample=0.5, seed=1), book(resample=0.5, seed=2)
    nights = [[one.answer.text for one in night(served)] for served in (first, first, first, other)]
    assert len({tuple(texts) for texts in nights}) == 4


@pytest.mark.parametrize(
    ("serving", "message"),
    [
        (Serving(snapshot="gpt-5"), f"snapshot 'gpt-5' is unknown; known: {MARCH}, {JUNE}"),
        (Serving(snapshot=MARCH, resample=1.1), "resample must be a probability between 0 and 1, it is 1.1"),
        (Serving(snapshot=MARCH, resample=-0.1), "resample must be a probability"),
        (Serving(snapshot=MARCH, resample=float("nan")), "resample must be a probability"),
    ],
)
def test_what_cannot_be_served_is_refused_and_changes_nothing(serving: Serving, message: str) -> None:
    with pytest.raises(ReplayError, match=message):
        AnswerBook(TEN, serving)
    served = book()
    with pytest.raises(ReplayError, match=message):
        served.change(serving)
    assert served.serving == Serving(snapshot=MARCH)


@given(st.text(), st.integers(1, 1000))
def test_chance_stays_in_its_range(text: str, count: int) -> None:
    chance = Chance(text.encode("utf-8", "replace").decode())
    assert 0 <= chance.fraction() < 1
    assert 0 <= chance.below(count) < count
