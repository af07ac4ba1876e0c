"""Which cases are asked once more: fair to categories, fair to cases, the same for everybody who asks."""

import asyncio
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor
from threading import Event

from hypothesis import given
from hypothesis import strategies as st

from replay.run.repeats import repeat_count, repeated_cases
from tests.replay.replays import LocalTarget, MemorySink, plan, replay, says_yes

sets = st.lists(st.sampled_from(["refunds", "orders", "shipping", "rare"]), min_size=1, max_size=60).map(
    lambda names: {f"case-{i}": name for i, name in enumerate(names)}
)
turns, counts = st.integers(0, 10_000), st.integers(0, 60)


def about(found: int, wanted: Fraction) -> bool:
    return floor(wanted) <= found <= ceil(wanted)


@given(sets, counts, turns)
def test_each_category_has_its_share_of_every_turn(categories: dict[str, str], count: int, turn: int) -> None:
    taken = min(count, len(categories))
    repeated = repeated_cases(categories, count, turn, "primes")
    assert len(repeated) == taken
    of = Counter(categories[case] for case in repeated)
    for category, size in Counter(categories.values()).items():
        assert about(of[category], Fraction(size * taken, len(categories)))


@given(sets, counts, turns, st.integers(1, 40))
def test_each_case_has_its_share_of_the_turns(categories: dict[str, str], count: int, first: int, nights: int) -> None:
    taken = min(count, len(categories))
    turns_of = Counter(
        case for turn in range(first, first + nights) for case in repeated_cases(categories, count, turn, "primes")
    )
    assert all(about(turns_of[case], Fraction(nights * taken, len(categories))) for case in categories)


@given(sets, counts, turns)
def test_the_order_in_which_cases_are_read_does_not_matter(categories: dict[str, str], count: int, turn: int) -> None:
    turned = dict(reversed(categories.items()))
    assert repeated_cases(categories, count, turn, "primes") == repeated_cases(turned, count, turn, "primes")


def test_another_set_draws_other_cases() -> None:
    categories = dict.fromkeys((f"case-{i}" for i in range(100)), "primes")
    assert repeated_cases(categories, 10, 0, "a") != repeated_cases(categories, 10, 0, "b")


@given(st.integers(0, 5000), st.floats(0.0, 1.0))
def test_a_share_is_never_more_than_the_cases_and_never_nothing(cases: int, share: float) -> None:
    count = repeat_count(cases, share)
    assert 0 <= count <= cases
    assert count > 0 or cases == 0 or share <= 1e-9 / max(cases, 1)
    assert repeat_count(cases, 1.0) == cases


def test_a_repeated_case_is_asked_one_sample_more_and_a_resume_asks_no_more_than_that() -> None:
    target, sink, stop = LocalTarget(says_yes), MemorySink(), Event()
    asked = replace(plan(12, samples=2, concurrency=1), repeated=frozenset({"c1", "c7"}))

    async def interrupted() -> None:
        first = await replay(
            asked, target, sink, stop=stop, on_progress=lambda done, _: stop.set() if done > 4 else None
        )
        assert first.interrupted
        second = await replay(asked, target, sink)
        assert not second.interrupted
        assert first.outcomes + second.outcomes == asked.calls == 26

    asyncio.run(interrupted())
    once = {(f"c{i}", sample): 1 for i in range(12) for sample in (0, 1)}
    assert target.calls == once | {("c1", 2): 1, ("c7", 2): 1}
