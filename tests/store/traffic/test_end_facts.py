"""Verdicts, dead letters and texts that end give the rows of a DELETE, in any order and folded at any time."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from monitor.domain.interaction import ContentState
from monitor.store.engine.append_only import FACTS
from monitor.store.engine.database import Store, Tx
from monitor.store.engine.file_store import FileStore
from monitor.store.engine.pagination import PageQuery
from monitor.store.maintenance.fold import any_fact, fold
from monitor.store.traffic import dead_letters, interactions
from monitor.store.traffic.dead_letters import DeadLetter
from monitor.store.traffic.late_texts import insert_content, join_content
from monitor.store.turns import signals
from tests.properties import examples
from tests.store.build import (
    START,
    HandClock,
    assistant,
    at,
    interaction,
    span_content,
    turn_signal,
    undone,
    user,
    verdict,
)
from tests.store.readable import where_on_disk

IDS = [f"row-{n}" for n in range(3)]
ids = st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True)


def steps(*kinds: str) -> st.SearchStrategy[list[tuple[str, list[str], int]]]:
    return st.lists(st.tuples(st.sampled_from([*kinds, "fold"]), ids, st.integers(0, 3)), min_size=2, max_size=10)


def letter(id_: str, **fields: Any) -> DeadLetter:
    defaults: dict[str, Any] = {"received_at": START, "source": "http", "code": "malformed", "reason": "r", "raw": b"{"}
    return DeadLetter(id=id_, **defaults | fields)


def no_fact_is_left(tx: Tx) -> None:
    fold(tx)
    assert not any_fact(tx)
    for table in ("turn_signal", "dead_letter"):
        assert tx._cursor.execute(f"SELECT count(*) FROM {table} WHERE revision <> 0").fetchall() == [(0,)]


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=steps("write"))
def test_the_newest_verdict_of_a_turn_takes_the_place_of_others(store: Store, steps: list[Any]) -> None:
    with undone(store) as tx:
        interactions.insert(tx, [interaction(id_) for id_ in IDS[:2]])  # the third call is not stored
        expected: dict[str, float] = {}

        def read() -> dict[str, float]:
            found = signals.page(tx, PageQuery(limit=100)).items
            assert len({each.id for each in found}) == len(found), "a turn is read once"
            return {each.id: each.verdict.score for each in found}

        for kind, chosen, n in steps:
            if kind == "fold":
                fold(tx)
            else:
                new = [turn_signal(id_, interaction_id=id_, verdict=verdict(score=n / 4)) for id_ in chosen]
                stored = {id_: n / 4 for id_ in chosen if id_ in IDS[:2]}
                assert signals.write(tx, new) == len(stored)
                expected |= stored
            assert read() == expected
        no_fact_is_left(tx)
        assert read() == expected


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=steps("insert", "remove"))
def test_a_removed_dead_letter_is_gone_until_it_is_sent_again(store: Store, steps: list[Any]) -> None:
    with undone(store) as tx:
        expected: dict[str, str] = {}

        def read() -> dict[str, str]:
            found = dead_letters.page(tx, PageQuery(limit=100)).items
            assert dead_letters.count(tx) == len(found)
            return {each.id: each.reason for each in found}

        for kind, chosen, n in steps:
            for id_ in chosen:
                if kind == "fold":
                    fold(tx)
                elif kind == "insert":
                    dead_letters.insert(tx, [letter(id_, reason=str(n))])
                    expected.setdefault(id_, str(n))
                else:
                    dead_letters.remove(tx, id_)
                    expected.pop(id_, None)
                    assert dead_letters.get(tx, id_) is None
            assert read() == expected
        no_fact_is_left(tx)
        assert read() == expected


@settings(max_examples=examples(120), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=steps("text", "call", "join"))
def test_texts_are_used_once(store: Store, steps: list[Any]) -> None:
    """Each text has its own time of receipt. The model removes the texts of a span when a call has the span."""
    with undone(store) as tx:
        waiting: list[tuple[str, int]] = []
        calls: set[str] = set()

        def read() -> list[tuple[str, int]]:
            sql = "SELECT trace_id, epoch_us(received_at) FROM current_span_content"
            return sorted(tx._cursor.execute(sql).fetchall())

        for place, (kind, chosen, _) in enumerate(steps):
            for id_ in chosen:
                if kind == "text":
                    received = at(place / 60)
                    insert_content(tx, [span_content(id_, received_at=received, input_messages=(user("in"),))])
                    waiting.append((id_, round(received.timestamp() * 1e6)))
                elif kind == "call":
                    bare = {"input_messages": (), "output_messages": (), "content_state": ContentState.ABSENT}
                    interactions.insert(tx, [interaction(id_, trace_id=id_, span_id="s", **bare)])
                    calls.add(id_)
            if kind == "fold":
                fold(tx)
            elif kind == "join":
                join_content(tx, at(1))
                waiting = [each for each in waiting if each[0] not in calls]
            assert read() == sorted(waiting)
        no_fact_is_left(tx)
        assert read() == sorted(waiting)


CHANGES: dict[str, Callable[[Tx], object]] = {
    "turn_signal": lambda tx: signals.write(tx, [turn_signal("t", interaction_id="i", verdict=verdict(score=0.5))]),
    "dead_letter": lambda tx: dead_letters.remove(tx, "d"),
    "span_content": lambda tx: join_content(tx, START),
}


@pytest.mark.parametrize("table", CHANGES)
def test_a_commit_folds_the_ends(store: FileStore, table: str) -> None:
    bare = interaction("i", trace_id="t", span_id="s", output_messages=(), content_state=ContentState.PARTIAL)
    with store.write() as tx:
        interactions.insert(tx, [bare])
        signals.write(tx, [turn_signal("t", interaction_id="i")])
        dead_letters.insert(tx, [letter("d")])
        insert_content(tx, [span_content("t", output_messages=(assistant("out"),))])
    with store.write() as tx:
        CHANGES[table](tx)
        assert tx.waiting_facts((table,)) == {table}
    assert store.scan_table(table).rows == (1 if table == "turn_signal" else 0)
    assert {fact: store.scan_table(fact).rows for fact in FACTS} == dict.fromkeys(FACTS, 0)


def test_no_byte_of_a_removed_dead_letter_is_in_a_compacted_file(store: FileStore, path: Any, clock: HandClock) -> None:
    words = "p3Lw8-where-is-the-invoice-of-May-7Hs1"
    with store.write() as tx:
        dead_letters.insert(tx, [replace(letter("d"), raw=words.encode())])
    with store.write() as tx:
        dead_letters.remove(tx, "d")
    store.compact(lambda _: None)
    assert where_on_disk(path, words) == set()
