import random

import pytest

from monitor.domain.version import ChangeKind
from tests.changes.build import Book, at, digest, traffic

A = digest("A")


def mixture(share: float, n: int, seed: int = 1) -> list[str]:
    return random.Random(seed).choices(["A/f1", "A/f2"], weights=[1 - share, share], k=n)


def test_a_new_backend_is_a_change_of_unknown_kind_within_the_version() -> None:
    book = Book()
    book.look(traffic(["A/f1"] * 60))
    [found] = book.look(traffic(["A/f1"] * 60, ["A/f2"] * 20))
    assert (found.from_version, found.to_version, found.at) == (A, A, at(60))
    assert found.kind is ChangeKind.UNKNOWN
    assert found.evidence["fingerprints_before"] == {"f1": 60}
    assert found.evidence["fingerprints"] == {"f2": 20}
    assert found.evidence["distance"] == 1.0
    assert found.evidence["p_value"] <= 0.001
    assert book.current == A


def test_fewer_than_min_interactions_on_a_new_backend_are_no_shift() -> None:
    book = Book()
    assert len(book.look(traffic(["A/f1"] * 60, ["A/f2"] * 19))) == 1  # the first version alone
    assert book.changes == []


def test_a_shift_is_noted_once_while_traffic_goes_on() -> None:
    book = Book()
    book.follow(traffic(["A/f1"] * 150, ["A/f2"] * 600))
    assert book.steps == [(A, A)]
    assert book.changes[0].at == at(150)


def test_a_shift_back_is_a_second_shift() -> None:
    book = Book()
    book.follow(traffic(["A/f1"] * 150, ["A/f2"] * 150, ["A/f1"] * 150))
    assert [change.at for change in book.changes] == [at(150), at(300)]


@pytest.mark.parametrize("share", [0.5, 0.3, 0.1])
def test_backends_in_stable_proportions_are_no_shift(share: float) -> None:
    book = Book()
    book.follow(traffic(mixture(share, 2000)))
    assert book.changes == []


def test_backends_that_take_long_turns_are_noted_at_most_until_the_pattern_shows() -> None:
    for length in (20, 25, 60):
        book = Book()
        book.follow(traffic((["A/f1"] * length + ["A/f2"] * length) * 12))
        assert len(book.changes) <= 3


def test_short_turns_are_no_shift() -> None:
    book = Book()
    book.follow(traffic((["A/f1"] * 5 + ["A/f2"] * 5) * 100))
    assert book.changes == []


def test_a_small_move_of_the_proportions_is_no_shift() -> None:
    book = Book()
    book.follow(traffic(mixture(0.3, 400), mixture(0.45, 400, seed=2)))
    assert book.changes == []


def test_a_mixture_that_collapses_to_one_backend_is_a_shift() -> None:
    book = Book()
    book.follow(traffic(mixture(0.4, 200), ["A/f3"] * 60))
    assert book.steps == [(A, A)]


def test_a_unique_fingerprint_per_call_is_no_shift() -> None:
    book = Book()
    book.follow(traffic([f"A/{n}" for n in range(600)]))
    assert book.changes == []


def test_interactions_without_a_fingerprint_are_no_backend() -> None:
    book = Book()
    book.follow(traffic(["A/f1"] * 100, ["A"] * 100))
    assert book.changes == []


def test_only_the_current_version_is_monitored() -> None:
    book = Book()
    book.follow(traffic(["A/f1"] * 100, ["B/f1"] * 100))
    assert book.current == digest("B")
    book.look(traffic(["A/f1"] * 60, ["A/f2"] * 20, ["B/f1"] * 100))
    assert book.current == digest("B")
    assert len(book.changes) == 1
