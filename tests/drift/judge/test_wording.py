from monitor.domain.finding import Comparison
from monitor.domain.run import CaseResult
from monitor.drift.judge.compare import compare_runs
from monitor.drift.judge.wording import count, describe, describe_categories, percent, signed_points
from tests.drift.builders import results


def compare(before: list[CaseResult], after: list[CaseResult]) -> Comparison:
    comparison = compare_runs(before, after, streaks={}, aa_discordance=None, alpha=0.05)
    assert comparison is not None
    return comparison


def test_the_sentence_holds_the_rates_the_interval_and_the_flips() -> None:
    comparison = compare(results([1.0] * 84 + [0.0] * 16), results([1.0] * 50 + [0.0] * 49 + [1.0]))
    assert describe(comparison) == (
        "pass rate fell from 84.0 % to 51.0 % (-33.0 points, 95 % interval -43.0 to -23.8) on 100 paired cases; "
        "34 cases flipped to fail, 1 to pass"
    )


def test_a_rate_that_did_not_move_stayed() -> None:
    assert describe(compare(results([1.0] * 3), results([1.0] * 3))).startswith(
        "pass rate stayed at 100.0 % (0.0 points"
    )


def test_one_case_is_singular() -> None:
    assert "1 case flipped to fail" in describe(compare(results([1.0] * 3), results([0.0, 1.0, 1.0])))
    assert (count(1, "case"), count(0, "case")) == ("1 case", "0 cases")


def test_categories_that_fell_come_first_and_the_many_are_counted() -> None:
    before: list[CaseResult] = []
    after: list[CaseResult] = []
    for number in range(5):
        failing = number + 1
        before += results([1.0] * 10, f"cat{number}", f"c{number}-")
        after += results([0.0] * failing + [1.0] * (10 - failing), f"cat{number}", f"c{number}-")
    before += results([0.0, 1.0], "up", "u-")
    after += results([1.0, 1.0], "up", "u-")
    assert describe_categories(compare(before, after).categories) == (
        "cat4 fell from 100.0 % to 50.0 %, cat3 fell from 100.0 % to 60.0 %, cat2 fell from 100.0 % to 70.0 %, "
        "2 more fell, up rose from 50.0 % to 100.0 %"
    )


def test_numbers_for_people_have_one_decimal_and_no_negative_zero() -> None:
    assert percent(0.84) == "84.0 %"
    assert (signed_points(-0.338), signed_points(0.02), signed_points(-0.0001)) == ("-33.8", "+2.0", "0.0")
