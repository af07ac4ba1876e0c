"""What the writer tells telemetry of a commit."""

from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from monitor.ingest.intake import Counts, Pending
from monitor.ingest.normalize.unread_counts import UnreadCounts, unread_in
from monitor.telemetry import Recorder


def group_commit(telemetry: Recorder, taken: Sequence[Pending]) -> AbstractContextManager[Any]:
    """The span of one transaction, with links to the requests in it whose traces are kept; none without any."""
    links = [p.origin for p in taken if p.origin.trace_flags.sampled]
    if not links:
        return nullcontext()
    told = {"driftd.batches": len(taken), "driftd.rows": sum(p.batch.rows for p in taken)}
    return telemetry.span("ingest.group_commit", told, links=links)


def tell_committed(
    telemetry: Recorder,
    taken: Sequence[Pending],
    counts: Sequence[Counts],
    unread: UnreadCounts,
    *,
    waited_s: Iterable[float],
    took_s: float,
) -> None:
    """`waited_s` are the seconds each batch has been held, `took_s` those of the commit itself."""
    telemetry.count("driftd.ingest.batches", len(taken), {"result": "committed"})
    telemetry.count("driftd.ingest.accepted", sum(c.accepted for c in counts))
    telemetry.count("driftd.ingest.duplicates", sum(c.duplicates for c in counts))
    telemetry.record("driftd.ingest.commit.duration", took_s)
    for one_s in waited_s:
        telemetry.record("driftd.ingest.receipt.duration", one_s)
    if ahead := sum(item.clock_ahead_s is not None for p in taken for item in p.batch.interactions):
        telemetry.count("driftd.ingest.clock_ahead", ahead)
    names = unread_in(item for p in taken for item in p.batch.interactions)
    unread.add(names)
    for attribute, number in names.items():
        telemetry.count("driftd.ingest.unread", number, {"attribute": attribute})
    letters = Counter((letter.source, letter.code) for p in taken for letter in p.batch.dead_letters)
    for (source, code), number in letters.items():
        telemetry.count("driftd.ingest.dead_letters", number, {"source": source, "code": code})


def tell_failed(telemetry: Recorder, batches: int) -> None:
    telemetry.count("driftd.ingest.batches", batches, {"result": "failed"})
