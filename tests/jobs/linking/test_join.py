"""Joins data that arrives separately from its call, step by step."""

from typing import Any

from monitor.domain.interaction import ContentState, InheritedAttributes
from monitor.jobs.linking.duplicates import GRACE
from monitor.jobs.linking.join import MARGIN, JoinStep
from monitor.jobs.maintenance.waiting_spans_loop import WaitingSpansLoop
from monitor.store.engine.file_store import FileStore
from monitor.store.traffic import interactions, span_context
from monitor.store.traffic.late_texts import insert_content
from monitor.store.traffic.span_context import insert_span_contexts
from tests.store.build import HandClock, assistant, at, interaction, span_content, user


def joining(store: FileStore, clock: HandClock) -> JoinStep:
    return JoinStep(store, clock, lambda item: item.response_model)


def parent(clock: HandClock) -> InheritedAttributes:
    result: dict[str, Any] = {"conversation_id": "s", "conversation_source": "session.id"}
    return InheritedAttributes(
        deployment="support", trace_id="t", span_id="p", parent_span_id=None, received_at=clock.now(), **result
    )


def test_texts_and_parents_of_later_requests_reach_their_call_within_the_grace(
    store: FileStore, clock: HandClock
) -> None:
    steps = joining(store, clock)
    bare = interaction("a", trace_id="t", span_id="s", parent_span_id="p", input_messages=(), output_messages=())
    with store.write() as tx:
        interactions.insert(tx, [bare])
    assert steps.step() == 0
    clock.seconds = GRACE.total_seconds() - 30
    texts = span_content("t", input_messages=(user("?"),), output_messages=(assistant("!"),), received_at=clock.now())
    with store.write() as tx:
        insert_content(tx, [texts])
        insert_span_contexts(tx, [parent(clock)])
    assert steps.step() == 2
    with store.read() as tx:
        found = interactions.get(tx, "a")
    assert found is not None
    assert (found.conversation_id, found.output_text, found.content_state) == ("s", "!", ContentState.FULL)


def test_a_parent_that_comes_too_late_changes_nothing_and_is_forgotten(store: FileStore, clock: HandClock) -> None:
    steps = joining(store, clock)
    with store.write() as tx:
        interactions.insert(tx, [interaction("a", trace_id="t", span_id="s", parent_span_id="p")])
    steps.step()
    clock.seconds = GRACE.total_seconds() + 1
    with store.write() as tx:
        insert_span_contexts(tx, [parent(clock)])
    assert steps.step() == 0
    clock.seconds += (GRACE + MARGIN).total_seconds() + 1
    assert steps.step() == 0
    assert WaitingSpansLoop(store=store, clock=clock).step() == 0
    with store.read() as tx:
        assert span_context.find(tx, since=at(-1), calls_since=at(-1)) == []


def test_a_step_with_nothing_new_writes_nothing(store: FileStore, clock: HandClock) -> None:
    steps = joining(store, clock)
    with store.write() as tx:
        interactions.insert(tx, [interaction("a", trace_id="t", span_id="s")])
    steps.step()
    clock.seconds = 90
    steps.step()
    clock.seconds = 200
    assert store.checkpoint_when_idle()
    clock.seconds = 300
    assert steps.step() == 0
    assert not store.checkpoint_when_idle(), "nothing was written since the last checkpoint"
