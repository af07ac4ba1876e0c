import pytest

from monitor.drift.judge.aa_noise import aa_discordance, own_discordance, same_version_pairs
from monitor.drift.judge.pairing import count_flips, pair_cases
from tests.drift.builders import results, run


def test_pairs_are_neighbours_of_the_same_known_version() -> None:
    history = [run(0), run(1), run(2, "B"), run(3, "B"), run(4, None), run(5, None), run(6), run(7)]
    assert [(a.id, b.id) for a, b in same_version_pairs(history)] == [
        ("run-0", "run-1"),
        ("run-2", "run-3"),
        ("run-6", "run-7"),
    ]


def test_only_the_newest_pairs_count() -> None:
    assert [(a.id, b.id) for a, b in same_version_pairs([run(i) for i in range(5)], most=2)] == [
        ("run-2", "run-3"),
        ("run-3", "run-4"),
    ]
    assert same_version_pairs([run(0), run(1)], most=0) == []


def test_discordance_is_pooled_over_pairs_and_smoothed() -> None:
    quiet = (results([1.0] * 10), results([1.0] * 10))
    noisy = (results([1.0] * 10), results([0.0, 0.0, 0.0] + [1.0] * 7))
    assert aa_discordance([quiet, noisy]) == pytest.approx(4 / 22)


def test_a_set_that_never_flipped_is_still_not_certain() -> None:
    assert aa_discordance([(results([1.0] * 98), results([1.0] * 98))]) == pytest.approx(0.01)


def test_no_repeated_case_gives_no_noise() -> None:
    assert aa_discordance([]) is None
    assert aa_discordance([(results([1.0, None]), results([None, 1.0]))]) is None


def test_a_comparison_lends_its_own_discordance() -> None:
    flips = count_flips(pair_cases(results([1.0] * 8), results([0.0] * 4 + [1.0] * 4)))
    assert own_discordance(flips) == pytest.approx(0.5)
