"""A search of the store runs after a write of what it reads and once a minute, not every two seconds."""

import pytest

from monitor.domain.clock_ahead import AHEAD
from monitor.jobs.after_writes import LONGEST_S, AfterWrites
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import dead_letters, feedback, interactions
from tests.store.build import START, HandClock, interaction
from tests.store.build import feedback as signal


class Search:
    """A search of the calls that counts its runs."""

    def __init__(self, store: Store, clock: HandClock) -> None:
        self.runs, self.found = 0, 0
        self._store = store
        self._after_writes = AfterWrites(store, clock)

    def __call__(self) -> int:
        self.runs += 1
        with self._store.read() as tx:
            interactions.latest_identities(tx, "support", 10, START + AHEAD)
        return self.found

    def step(self) -> int:
        """Return how often the search ran until now."""
        assert self._after_writes.run(self) in {0, self.found}
        return self.runs


def write(store: Store, id_: str) -> None:
    with store.write() as tx:
        interactions.insert(tx, [interaction(id_)])


def test_the_first_search_runs_and_the_next_one_waits_for_a_write(store: Store, clock: HandClock) -> None:
    search = Search(store, clock)
    assert [search.step(), search.step()] == [1, 1]
    write(store, "a")
    assert [search.step(), search.step()] == [2, 2]


def test_a_write_of_another_table_is_not_waited_for(store: Store, clock: HandClock) -> None:
    search = Search(store, clock)
    search.step()
    with store.write() as tx:
        feedback.insert(tx, [signal("f1")])
    assert search.step() == 1


def test_a_search_of_a_view_runs_after_a_write_of_its_tables(store: Store, clock: HandClock) -> None:
    after_writes, runs = AfterWrites(store, clock), list[int]()

    def search() -> int:
        with store.read() as tx:
            runs.append(len(feedback.page(tx, PageQuery(limit=10)).items))
        return 0

    after_writes.run(search)
    with store.write() as tx:
        feedback.insert(tx, [signal("f1")])
    after_writes.run(search)
    with store.write() as tx:
        feedback.retract(tx, ["f1"])  # appends to feedback_end, which the statement does not name
    after_writes.run(search)
    assert runs == [0, 1, 0]


def test_after_a_write_during_a_search_the_next_one_runs(store: Store, clock: HandClock) -> None:
    after_writes, search, done = AfterWrites(store, clock), Search(store, clock), list[str]()

    def search_and_write() -> int:
        search()
        done.append("search")
        if len(done) == 1:
            write(store, "a")
        return 0

    for _ in range(3):
        after_writes.run(search_and_write)
    assert len(done) == 2


def test_a_search_that_found_something_goes_on(store: Store, clock: HandClock) -> None:
    search = Search(store, clock)
    search.found = 3
    assert [search.step(), search.step()] == [1, 2]


def test_without_a_write_a_search_runs_once_a_minute(store: Store, clock: HandClock) -> None:
    search = Search(store, clock)
    search.step()
    clock.seconds += LONGEST_S - 1
    assert search.step() == 1
    clock.seconds += 1
    assert search.step() == 2


def test_a_search_that_fails_runs_again(store: Store, clock: HandClock) -> None:
    after_writes, search = AfterWrites(store, clock), Search(store, clock)
    with pytest.raises(ZeroDivisionError):
        after_writes.run(lambda: 1 // 0)
    after_writes.run(search)
    assert search.runs == 1


def test_a_write_without_a_changed_row_is_none(store: Store, clock: HandClock) -> None:
    search = Search(store, clock)
    search.step()
    with store.write() as tx:
        dead_letters.insert(tx, [])
    assert search.step() == 1
