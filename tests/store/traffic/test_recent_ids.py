"""New ids; compared with a list of all added ids."""

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from monitor.store.traffic import recent_ids
from monitor.store.traffic.recent_ids import RecentIds

NOON = datetime(2026, 11, 22, 12, tzinfo=UTC)
ids = st.integers(0, 60).map(str)
seconds = st.one_of(st.integers(0, 50), st.just(10**8))  # now and then a clock that is years ahead
batches = st.lists(
    st.lists(st.tuples(ids, seconds), min_size=1, max_size=12, unique_by=lambda row: row[0]), max_size=20
)


def at(second: int) -> datetime:
    return NOON + timedelta(seconds=second)


def window(batch: list[tuple[str, int]]) -> dict[str, datetime]:
    times = [at(second) for _, second in batch]
    return {"since": min(times) - timedelta(seconds=2), "until": max(times) + timedelta(seconds=2)}


@given(batches, st.integers(4, 40))
def test_an_id_in_the_window_is_never_taken_for_new(sent: list[list[tuple[str, int]]], room: int) -> None:
    before, recent_ids.MAX_IDS = recent_ids.MAX_IDS, room  # type: ignore[misc]
    try:
        recent, rows = RecentIds(), list[tuple[str, datetime]]()
        for batch in sent:
            own, around = [one for one, _ in batch], window(batch)
            there = {one for one, when in rows if around["since"] <= when <= around["until"]}
            if recent.are_new(own, **around):
                assert there.isdisjoint(own)
            recent.add(own, [at(second) for _, second in batch])
            rows += [(one, at(second)) for one, second in batch]
    finally:
        recent_ids.MAX_IDS = before  # type: ignore[misc]


def test_what_comes_now_is_new_and_what_was_added_is_not() -> None:
    recent = RecentIds(complete_after=at(0), complete_before=at(1000))
    assert recent.are_new(["a"], since=at(1), until=at(5))
    recent.add(["a"], [at(3)])
    assert not recent.are_new(["b", "a"], since=at(1), until=at(5))
    assert recent.are_new(["b"], since=at(1), until=at(5))


def test_nothing_is_said_of_times_before_or_after_those_it_knows() -> None:
    recent = RecentIds(complete_after=at(0), complete_before=at(1000))
    assert not recent.are_new(["a"], since=at(0), until=at(5))
    assert not recent.are_new(["a"], since=at(1), until=at(1000))


def test_one_row_years_ahead_does_not_end_its_use() -> None:
    recent = RecentIds()
    recent.add(["ahead"], [at(10**8)])
    for number in range(2 * recent_ids.MAX_IDS // 1000):
        recent.add([f"{number}.{i}" for i in range(1000)], [at(number)] * 1000)
    newest = 2 * recent_ids.MAX_IDS // 1000
    assert recent.are_new(["x"], since=at(newest - 1), until=at(newest))
    assert not recent.are_new(["ahead"], since=at(newest - 1), until=at(newest))
