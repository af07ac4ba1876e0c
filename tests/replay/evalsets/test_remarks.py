from dataclasses import replace

from replay.evalsets.formats.case_file import read_cases
from replay.evalsets.remarks import expects_something, remarks
from replay.types import Case
from tests.docs.markdown import ROOT
from tests.replay.evalsets.builders import case


def told(*cases: Case) -> list[tuple[str, str]]:
    return [(remark.case_id, remark.text) for remark in remarks(cases)]


def test_a_set_without_faults_has_no_remarks() -> None:
    assert told(*read_cases(ROOT / "examples/support-bot/starter.yaml")) == []
    assert told(case("a"), case("b", "Is 9 a prime number?")) == []


def test_a_case_that_nothing_can_score_is_told() -> None:
    bare = replace(case("a"), references=(), ideal="Be kind.")
    assert not expects_something(bare)
    assert told(bare) == [("a", "expects nothing that can be scored; add references, must_include or a rubric")]


def test_a_question_asked_twice_is_told_however_it_is_spaced() -> None:
    assert told(case("a", "Is 7 prime?"), case("b", "is 7  PRIME?")) == [("b", "asks what a asks")]
    one, two = (replace(case(i, "Is {n} prime?"), variables={"n": n}) for i, n in (("a", 7), ("b", 9)))
    assert told(one, two) == []


def test_an_expectation_that_no_answer_can_meet_is_told() -> None:
    torn = replace(case("a"), must_include=("No refund",), must_not=("refund",))
    assert told(torn) == [("a", "must include what it must not say; no answer can pass")]
    assert told(replace(case("a"), must_include=("refund",), must_not=("no refund",))) == []


def test_one_case_without_a_category_among_others_is_told() -> None:
    assert told(case("a", category="prime"), case("b", "Is 9 prime?")) == [("b", "has no category, others have")]
