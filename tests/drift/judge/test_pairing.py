import pytest

from monitor.drift.judge.pairing import count_flips, pair_cases, passes
from tests.drift.builders import case


def test_only_the_same_question_with_a_verdict_on_both_sides_is_paired() -> None:
    before = [case("a", 1.0), case("b", 1.0), case("c", None), case("d", 0.0), case("gone", 1.0)]
    after = [case("a", 0.0), case("b", 1.0, content_mac="edited"), case("c", 1.0), case("d", None), case("new", 1.0)]
    assert [pair.after.case_id for pair in pair_cases(before, after)] == ["a"]


def test_half_of_the_samples_right_is_a_pass_and_less_is_not() -> None:
    assert passes(case("a", 0.5))
    assert not passes(case("a", 0.499))


def test_asking_whether_an_unscored_case_passed_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="case a has no verdict"):
        passes(case("a", None))


def test_the_two_by_two_table_is_counted() -> None:
    before = [case("a", 1.0), case("b", 1.0), case("c", 0.0), case("d", 0.0), case("e", 1.0)]
    after = [case("a", 1.0), case("b", 0.0), case("c", 1.0), case("d", 0.0), case("e", 0.2)]
    flips = count_flips(pair_cases(before, after))
    assert (flips.n, flips.passed_before, flips.passed_after, flips.to_fail, flips.to_pass) == (5, 3, 2, 2, 1)
    assert flips.discordant == 3
