"""Fills a streamed call with the reply that a note in another trace contains. The note does not count as a call."""

from collections.abc import Callable
from datetime import datetime

from msgspec.structs import replace

from monitor.domain.filling import with_note
from monitor.domain.interaction import Interaction
from monitor.domain.stream_notes import noted_requests
from monitor.jobs.linking.duplicates import GRACE
from monitor.store.engine.database import Store
from monitor.store.traffic import stream_notes
from monitor.store.traffic.duplicates import mark
from monitor.store.traffic.filled_calls import own_call, write_filled
from monitor.store.traffic.trace_calls import rows_of


def join_notes(store: Store, now: datetime, identify: Callable[[Interaction], str | None]) -> int:
    """Join notes to their calls, and return the number of changed rows."""
    with store.read() as tx:
        found = noted_requests(stream_notes.stream_reports(tx, calls_since=now - GRACE))
        rows = rows_of(tx, sorted({*found, *found.values()})) if found else {}
    filled = []
    for note, request in found.items():
        call = with_note(own_call(rows[request]), own_call(rows[note]))
        filled.append(replace(call, identity=identify(call)))
    if not filled:
        return 0
    with store.write() as tx:
        written = write_filled(tx, rows, filled)
        return written + mark(tx, found, since=now - 2 * GRACE)
