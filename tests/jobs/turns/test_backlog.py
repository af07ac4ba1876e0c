"""One search lists the turns of a backlog, and many batches judge them."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from monitor.domain.turn import SignalCode
from monitor.jobs.turns.judging import by_content
from monitor.jobs.turns.search import TurnSearch
from monitor.store.engine.database import Store, Tx
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.traffic import feedback
from tests.jobs.turns.simple_judge import SimpleJudge
from tests.jobs.turns.talks import TALK, add, loop_of, run, stored
from tests.store.build import START, HandClock, assistant, user
from tests.store.build import feedback as event


class Statements:
    """The statements of the loop, and what they returned, in the order of their use."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.rows: list[tuple[str, int]] = []
        original = Tx.table

        def table(tx: Tx, name: str, /, **params: Any) -> Any:
            found = original(tx, name, **params)
            self.rows.append((name, found.num_rows))
            return found

        monkeypatch.setattr(Tx, "table", table)

    def times(self, name: str) -> int:
        return sum(used == name for used, _ in self.rows)

    def read(self, name: str) -> int:
        return sum(rows for used, rows in self.rows if used == name)


@pytest.mark.parametrize("turns", [12, 60])
def test_a_backlog_is_searched_once_and_each_turn_is_read_once(
    store: Store, clock: HandClock, monkeypatch: pytest.MonkeyPatch, turns: int
) -> None:
    for n in range(turns):
        add(store, f"turn-{n:02}", *TALK, user("wrong"), minutes=n / 60)
    loop = loop_of(store, clock, batch=3)
    clock.seconds = 120
    used = Statements(monkeypatch)
    for _ in range(turns // 3):
        assert loop.step() == 3
    assert used.times("pending_turns") == 1
    assert used.read("pending_calls") == turns
    assert len(stored(store)) == turns


def test_the_newest_turns_of_a_backlog_come_first_and_those_that_arrive_meanwhile_before_them(
    store: Store, clock: HandClock
) -> None:
    for n in range(5):
        add(store, f"turn-{n}", *TALK, user("wrong"), minutes=n / 60)
    loop = loop_of(store, clock, batch=2)
    clock.seconds = 60
    assert (loop.step(), set(stored(store))) == (2, {"turn-4", "turn-3"})
    add(store, "new", *TALK, user("wrong"), minutes=1.05)
    clock.seconds += 6
    assert (loop.step(), set(stored(store))) == (1, {"turn-4", "turn-3", "new"})
    run(loop, clock)
    assert len(stored(store)) == 6


def test_a_restart_amid_a_backlog_judges_the_rest_once(store: Store, clock: HandClock) -> None:
    for n in range(7):
        add(store, f"turn-{n}", *TALK, user("wrong"), minutes=n / 60)
    judge = SimpleJudge()
    clock.seconds = 60
    loop_of(store, clock, judge, batch=2).step()
    assert len(stored(store)) == 2
    run(loop_of(store, clock, judge, batch=2), clock, minutes=2)
    assert (len(stored(store)), len(judge.seen)) == (7, 7)


def test_a_call_that_is_erased_or_recognized_as_a_duplicate_amid_a_backlog_is_not_judged(
    store: Store, clock: HandClock
) -> None:
    for n in range(6):
        add(store, f"turn-{n}", *TALK, user("wrong"), minutes=n / 60, user_id=f"user-{n}")
    loop = loop_of(store, clock, batch=2)
    clock.seconds = 60
    loop.step()
    with store.write() as tx:
        for n in (3, 2):
            erase_user(tx, f"user-{n}", START)
        tx._run("UPDATE interaction SET duplicate_of = 'turn-0' WHERE id = 'turn-1'", None, {})
    run(loop, clock, minutes=2)
    assert set(stored(store)) == {"turn-5", "turn-4", "turn-0"}


def test_answers_and_corrections_that_arrive_amid_a_backlog_count(store: Store, clock: HandClock) -> None:
    add(store, "first", user("Is 7 prime?"), conversation_id="c", output_messages=(assistant("No."),))
    add(store, "turn", user("That is wrong"), conversation_id="c", minutes=1)
    for n in range(2):
        add(store, f"other-{n}", *TALK, user("thanks"), minutes=2)
    loop = loop_of(store, clock, batch=2)
    clock.seconds = 180
    assert (loop.step(), set(stored(store))) == (2, {"other-0", "other-1"})
    early = {"started_at": START - timedelta(hours=1), "conversation_id": "c"}
    add(store, "earlier", user("And 9?"), minutes=3.1, output_messages=(assistant("Yes."),), **early)
    with store.write() as tx:
        edit = event("f", linked_interaction_id="first", is_correction=True, deployment="bot")
        feedback.insert(tx, [replace(edit, kind=type(edit.kind)("edit"))])
    seen = []

    def choose(text: str, answers: Any) -> Any:
        seen.append([answer for _, answer in answers])
        return by_content(text, answers)

    loop._choose = choose
    run(loop, clock, minutes=4)
    assert stored(store)["turn"].verdict.code == SignalCode.EDITED
    assert seen == [["Yes.", "No."]]


def test_a_search_that_lists_its_most_turns_is_repeated_for_the_rest(
    store: Store, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TurnSearch.__init__, "__kwdefaults__", {"most": 4})
    for n in range(11):
        add(store, f"turn-{n}", *TALK, user("wrong"), minutes=n / 60)
        add(store, f"old-{n}", *TALK, user("wrong"), minutes=-3000 + n / 60)
    loop = loop_of(store, clock, batch=2)
    used = Statements(monkeypatch)
    run(loop, clock, minutes=1)
    assert len(stored(store)) == 22
    assert used.times("pending_turns") >= 6


def test_without_a_write_the_calls_are_searched_once_a_minute(
    store: Store, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(store, "turn", *TALK, user("wrong"))
    loop = loop_of(store, clock)
    run(loop, clock, minutes=1)
    used = Statements(monkeypatch)
    for _ in range(20):
        clock.seconds += 5
        loop.step()
    assert 1 <= used.times("pending_turns") <= 4
    add(store, "later", *TALK, user("wrong"), minutes=3)
    clock.seconds += 60
    assert loop.step() == 1
