"""What waited in vain for a call is removed after the link loop can no longer read it."""

from datetime import timedelta

from monitor.domain.span_link import SpanLink
from monitor.jobs.linking.duplicates import GRACE
from monitor.jobs.linking.join import MARGIN
from monitor.jobs.maintenance.waiting_spans_loop import WaitingSpansLoop
from monitor.store.engine.file_store import FileStore
from monitor.store.traffic.trace_calls import insert_links
from tests.store.build import START, HandClock

EDGE = GRACE + MARGIN
SECOND = timedelta(seconds=1)


def test_a_link_is_removed_after_the_grace_period_and_not_before(store: FileStore, clock: HandClock) -> None:
    old, young = (
        SpanLink(trace_id="t", span_id=name, parent_span_id="p", is_tool=False, received_at=START - EDGE + later)
        for name, later in (("old", -SECOND), ("young", SECOND))
    )
    with store.write() as tx:
        insert_links(tx, [old, young])
    loop = WaitingSpansLoop(store=store, clock=clock)
    assert loop.step() == 0
    assert store.scan_table("span_link").rows == 1
    clock.seconds += 2
    assert loop.step() == 0
    assert store.scan_table("span_link").rows == 0
    written = store.written
    assert (loop.step(), store.written) == (0, written)
