"""Refusals: classified when a call is stored, and later for calls of an older driftd."""

from datetime import timedelta
from pathlib import Path

import duckdb
import pytest

from monitor.domain.interaction import ContentState, Interaction, SpanContent, Status
from monitor.domain.refusal import Refusal, refusals_of
from monitor.jobs.maintenance.refusal_loop import RefusalLoop
from monitor.store.engine.database import Store
from monitor.store.maintenance import refusals
from monitor.store.traffic import interactions
from tests.store.build import START, HandClock, assistant, interaction

REFUSES = "I'm sorry, but I can't help with that."
CALLS = (
    interaction("helps"),
    interaction("refuses", output_messages=(assistant(REFUSES),)),
    interaction("fails", status=Status.ERROR, output_messages=(assistant(REFUSES),)),
    interaction("silent", content_state=ContentState.ABSENT, output_messages=()),
    interaction("cut", content_state=ContentState.TRUNCATED, output_messages=()),
    interaction("empty", output_messages=()),
    interaction("half an emoji", output_messages=(assistant("I\ud83d cannot help\xa0with that."),)),
)
DECIDED = {
    "helps": "no",
    "refuses": "yes",
    "fails": "unknown",
    "silent": "unknown",
    "cut": "unknown",
    "empty": "no",
    "half an emoji": "no",
}


def stored(path: Path) -> dict[str, str | None]:
    with duckdb.connect(path, read_only=True) as connection:
        return dict(connection.execute("SELECT id, refusal FROM interaction").fetchall())


def fill_store(path: Path, calls: tuple[Interaction, ...] = CALLS) -> None:
    store = Store.open(path, clock=HandClock())
    with store.write() as tx:
        interactions.insert(tx, calls)
    store.close()


def test_a_call_is_stored_with_whether_it_refuses(path: Path) -> None:
    fill_store(path)
    assert stored(path) == DECIDED
    decided = refusals_of([c.output_text for c in CALLS], [c.status for c in CALLS], [c.content_state for c in CALLS])
    assert dict(zip([c.id for c in CALLS], map(str, decided), strict=True)) == DECIDED


def test_a_text_that_arrives_later_decides(store: Store, path: Path) -> None:
    with store.write() as tx:
        interactions.insert(
            tx, [interaction("late", content_state=ContentState.ABSENT, output_messages=(), trace_id="t", span_id="s")]
        )
    with store.write() as tx:
        text = SpanContent(trace_id="t", span_id="s", received_at=START, output_messages=(assistant(REFUSES),))
        interactions.insert_content(tx, [text])
        assert interactions.join_content(tx, START) == 1
    store.close()
    assert stored(path) == {"late": "yes"}


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_calls_of_an_older_driftd_are_decided_in_steps(path: Path, limit: int) -> None:
    fill_store(path)
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE interaction SET refusal = NULL")
    store = Store.open(path, clock=HandClock())
    steps: list[int] = []
    while not steps or steps[-1]:
        with store.write() as tx:
            steps.append(refusals.fill(tx, limit))
    store.close()
    assert (sum(steps), max(steps)) == (len(CALLS), min(limit, len(CALLS)))
    assert stored(path) == DECIDED


def test_of_two_calls_with_one_id_each_is_decided_by_its_own_answer(path: Path) -> None:
    again = interaction("same", started_at=START + timedelta(days=1), output_messages=(assistant(REFUSES),))
    fill_store(path, (interaction("same"),))
    fill_store(path, (again,))
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE interaction SET refusal = NULL")
    store = Store.open(path, clock=HandClock())
    with store.write() as tx:
        assert refusals.fill(tx, 10) == 2
    store.close()
    with duckdb.connect(path, read_only=True) as connection:
        found = connection.execute("SELECT refusal FROM interaction ORDER BY started_at").fetchall()
    assert found == [(Refusal.NO.value,), (Refusal.YES.value,)]


def test_the_loop_rests_for_good_when_every_call_is_decided(path: Path) -> None:
    fill_store(path)
    with duckdb.connect(path) as connection:
        connection.execute("UPDATE interaction SET refusal = NULL")
    store = Store.open(path, clock=HandClock())
    loop = RefusalLoop(store=store)
    assert loop.step() == 0  # it never counts as work: a command that waits for idle loops does not wait for it
    busy_s = loop.poll_s
    loop.step()
    store.close()
    assert stored(path) == DECIDED
    assert busy_s < 1 < loop.poll_s
