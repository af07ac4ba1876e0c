from monitor.drift.judge.pairing import Direction, Pair, failure_of, flipped, pair_cases
from tests.drift.builders import case


def ids(pairs: list[Pair]) -> list[str]:
    return [pair.after.case_id for pair in pairs]


def moves() -> list[Pair]:
    """Named for their way, severity and category."""
    reported = [
        ("pass-high-a", 0.0, 1.0, "high", "a"),
        ("fail-low-a", 1.0, 0.0, "low", "a"),
        ("fail-high-b", 1.0, 0.0, "high", "b"),
        ("fail-high-a2", 1.0, 0.0, "high", "a"),
        ("fail-high-a1", 1.0, 0.0, "high", "a"),
        ("fail-critical-z", 1.0, 0.0, "critical", "z"),
        ("still-good", 1.0, 1.0, "critical", "a"),
        ("still-bad", 0.0, 0.0, "critical", "a"),
    ]
    before = [case(name, value, category, severity=severity) for name, value, _, severity, category in reported]
    after = [case(name, value, category, severity=severity) for name, _, value, severity, category in reported]
    return list(pair_cases(before, after))


def test_new_failures_are_first_then_by_severity_category_and_id() -> None:
    assert ids(flipped(moves())) == [
        "fail-critical-z",
        "fail-high-a1",
        "fail-high-a2",
        "fail-high-b",
        "fail-low-a",
        "pass-high-a",
    ]


def test_flips_can_be_narrowed_by_direction_category_and_failure_category() -> None:
    to_pass: Direction = "to_pass"
    assert ids(flipped(moves(), direction=to_pass)) == ["pass-high-a"]
    assert ids(flipped(moves(), direction="to_fail", category="b")) == ["fail-high-b"]
    assert flipped(moves(), failure_category="nobody_fails_so") == []


def test_how_a_flipped_case_fails_is_detected_by_the_run_in_which_it_fails() -> None:
    before = [case("worse", 1.0), case("better", 0.0, failure_category="refused"), case("good", 1.0)]
    after = [case("worse", 0.0, failure_category="wrong_answer"), case("better", 1.0), case("good", 1.0)]
    assert [failure_of(pair) for pair in pair_cases(before, after)] == ["wrong_answer", "refused", "none"]
    assert ids(flipped(pair_cases(before, after), failure_category="refused")) == ["better"]
