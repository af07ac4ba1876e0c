import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.changes.detect import detect
from monitor.domain.version import ChangeKind, How
from tests.changes.build import POLICY, T0, Book, at, digest, seen, traffic, without_identity

A, B, C = digest("A"), digest("B"), digest("C")


def test_the_first_version_comes_without_a_change() -> None:
    book = Book()
    book.look(traffic(["A"] * 20))
    assert [version.id for version in book.versions] == [A]
    assert book.versions[0].label == "A · p@1"
    assert book.versions[0].first_seen == T0
    assert book.versions[0].how is How.OBSERVED
    assert book.changes == []


def test_too_few_interactions_are_no_version() -> None:
    assert detect(traffic(["A"] * 19), [], None, POLICY) == []
    book = Book()
    book.look(traffic(["A"] * 100))
    assert book.look(traffic(["A"] * 100, ["B"] * 19)) == []


def test_interactions_without_an_identity_count_for_nothing() -> None:
    lost = [without_identity(one) for one in traffic(["A"] * 40)]
    assert detect(lost, [], None, POLICY) == []


def test_a_new_identity_is_a_change_from_the_current_version_at_its_first_interaction() -> None:
    book = Book()
    book.look(traffic(["A"] * 50))
    [found] = book.look(traffic(["A/f1"] * 50, ["B/f2"] * 20))
    assert (found.from_version, found.to_version, found.at) == (A, B, at(50))
    assert found.kind is ChangeKind.MODEL
    assert found.evidence["interactions"] == 20
    assert found.evidence["window"] == 70
    assert found.evidence["share"] == pytest.approx(20 / 70)
    assert found.evidence["fingerprints"] == {"f2": 20}
    assert found.evidence["differs"] == ["response_model"]
    assert found.evidence["served_since"] == {B: 20}
    assert found.evidence["first_interaction"] == "i000050"
    assert book.current == B


def test_model_and_prompt_at_once_are_of_unknown_kind_with_both_named() -> None:
    book = Book()
    book.look(traffic(["A"] * 20))
    both = [
        replace(one, identity=digest("B", "q@7"), prompt_id="q", prompt_version="7")
        for one in traffic(["B"] * 20, start=20)
    ]
    [found] = book.look([*traffic(["A"] * 20), *both])
    assert found.kind is ChangeKind.UNKNOWN
    assert found.evidence["differs"] == ["response_model", "prompt"]


def test_a_canary_counts_and_its_evidence_has_its_share() -> None:
    book = Book()
    book.look(traffic(["A"] * 100))
    found = book.look(traffic((["A"] * 9 + ["B"]) * 20))
    assert [(one.from_version, one.to_version) for one in found] == [(A, B)]
    assert found[0].evidence["share"] == pytest.approx(0.1)
    assert found[0].evidence["served_since"] == {A: 171, B: 20}


def test_a_rollback_makes_the_known_version_current_again() -> None:
    book = Book()
    book.look(traffic(["A"] * 60))
    book.look(traffic(["A"] * 60, ["B"] * 40))
    [found] = book.look(traffic(["A"] * 60, ["B"] * 40, ["A"] * 25))
    assert (found.from_version, found.to_version, found.at) == (B, A, at(100))
    assert found.identity is None
    assert found.kind is ChangeKind.MODEL
    assert found.evidence["returned"] is True
    assert found.evidence["share"] == 1.0
    assert [version.id for version in book.versions] == [A, B]
    assert book.current == A


def test_history_read_at_once_gives_the_same_steps_as_traffic_followed_live() -> None:
    timeline = traffic(["A"] * 100, ["B"] * 60, ["A"] * 40)
    at_once, live = Book(), Book()
    at_once.look(timeline)
    live.follow(timeline)
    assert at_once.steps == live.steps == [(A, B), (B, A)]


def test_a_rollback_is_detected_after_twenty_interactions() -> None:
    book = Book()
    book.follow(traffic(["A"] * 100, ["B"] * 1000, ["A"] * 30), every=1)
    assert book.steps == [(A, B), (B, A)]
    assert book.changes[-1].at == at(1100)
    assert book.changes[-1].evidence["interactions"] == 20


def test_a_rolling_deployment_is_one_change() -> None:
    mixed = random.Random(3).choices
    steps = [mixed(["A", "B"], weights=[100 - share, share], k=60) for share in (2, 5, 10, 25, 50, 75, 90, 98)]
    book = Book()
    book.follow(traffic(["A"] * 200, *steps, ["B"] * 300))
    assert book.steps == [(A, B)]


@pytest.mark.parametrize("share", [3, 10, 25, 50, 75])
def test_a_steady_mixture_makes_no_endless_changes(share: int) -> None:
    mixed = random.Random(share).choices(["A", "B"], weights=[100 - share, share], k=3000)
    book = Book()
    book.follow(traffic(["A"] * 200, mixed))
    assert {version.id for version in book.versions} <= {A, B}
    assert len(book.changes) <= 2


def test_strict_alternation_is_one_change() -> None:
    book = Book()
    book.follow(traffic(["A"] * 100, ["B", "A"] * 1000))
    assert book.steps == [(A, B)]


def test_a_canary_that_is_withdrawn_gives_the_old_version_back() -> None:
    book = Book()
    book.follow(traffic(["A"] * 100, (["A"] * 3 + ["B"]) * 60, ["A"] * 200))
    assert book.steps == [(A, B), (B, A)]


def test_three_versions_one_after_another_are_two_changes() -> None:
    book = Book()
    book.look(traffic(["A"] * 30, ["B"] * 30, ["C"] * 30))
    assert book.steps == [(A, B), (B, C)]
    assert [change.noted_at for change in book.changes] == sorted({change.noted_at for change in book.changes})


def test_history_that_comes_late_is_a_version_but_no_change() -> None:
    book = Book()
    book.look(traffic(["B"] * 40, start=1000))
    [found] = book.look([*traffic(["A"] * 40), *traffic(["B"] * 40, start=1000)])
    assert (found.to_version, found.from_version) == (A, None)
    assert book.changes == []
    assert book.look([*traffic(["A"] * 40), *traffic(["B"] * 40, start=1000)]) == []


def test_rows_stored_under_other_identity_fields_are_no_version() -> None:
    stale = [replace(one, identity="0" * 12) for one in traffic(["A"] * 40)]
    assert detect(stale, [], None, POLICY) == []


def test_interactions_of_one_instant_do_not_hang_or_repeat() -> None:
    timeline = [replace(one, started_at=T0) for one in traffic(["A"] * 40, ["B"] * 40, ["A"] * 40)]
    book = Book()
    book.look(timeline)
    assert book.look(timeline) == []
    assert {version.id for version in book.versions} == {A, B}


def test_the_order_of_the_window_does_not_matter() -> None:
    window = traffic(["A"] * 30, ["B"] * 30)
    assert detect(window, [], None, POLICY) == detect(window[::-1], [], None, POLICY)


words = st.sampled_from(["A", "B", "C", "A/f1", "A/f2", "B/f1", "B/f2"])
blocks = st.lists(st.tuples(words, st.integers(1, 60)), max_size=8)
interleavings = st.lists(words, max_size=250)


@given(blocks, interleavings)
@settings(max_examples=60, deadline=None)
def test_looking_again_after_recording_finds_nothing(runs: list[tuple[str, int]], mixed: list[str]) -> None:
    timeline = traffic([word for word, n in runs for _ in range(n)], mixed)
    book = Book()
    book.look(timeline)
    assert book.look(timeline) == []
    assert book.look(timeline) == []


@given(interleavings, st.integers(1, 40))
@settings(max_examples=40, deadline=None)
def test_two_identities_never_make_a_third_version_and_every_change_starts_at_the_current_one(
    mixed: list[str], every: int
) -> None:
    book = Book()
    book.follow(traffic([word for word in mixed if not word.startswith("C")]), every=every)
    assert {version.id for version in book.versions} <= {A, B}
    assert len(book.versions) == len({version.id for version in book.versions})
    expected: str | None = book.versions[0].id if book.versions else None
    for step_from, step_to in book.steps:
        assert step_from == expected
        expected = step_to


@given(st.integers(20, 80), st.integers(20, 80), st.integers(45, 90))
@settings(max_examples=40, deadline=None)
def test_a_b_a_is_two_versions_and_two_changes(first: int, second: int, third: int) -> None:
    book = Book()
    book.follow(traffic(["A"] * first, ["B"] * second, ["A"] * third), every=5)
    assert [version.id for version in book.versions] == [A, B]
    assert book.steps == [(A, B), (B, A)]


def test_one_interaction_is_read_from_its_parts() -> None:
    assert seen("A/f1", 3).system_fingerprint == "f1"
