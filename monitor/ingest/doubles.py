"""The calls of one request that were told twice, and the documents that were retrieved for them."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from monitor.domain.interaction import Document, Interaction
from monitor.domain.twins import Pair, Report, doubles, report_of
from monitor.ingest.batch_weight import bytes_of_documents
from monitor.ingest.conventions.surroundings import MAX_DOCUMENTS
from monitor.ingest.otlp_records import OtlpSpan
from monitor.ingest.span_tree import SpanTree

MOST_GIVEN_CHARS = 16 * 1024 * 1024  # of documents, counted for each call that has them: many may follow one retrieval
NEXT = 3  # reports of one response are compared with so many after them: a made-up model may name all responses alike


class Call(NamedTuple):
    span: OtlpSpan
    item: Interaction


class Retrieved(NamedTuple):
    span: OtlpSpan
    documents: tuple[Document, ...]


def mark_doubles(calls: Sequence[Call], tree: SpanTree) -> None:
    """Name the kept report in each other one. Those of unrelated spans and of other requests are found in the store."""
    pairs = [*_nested(calls, tree), *_of_one_response(calls)] if len(calls) > 1 else []
    if not pairs:
        return
    found = doubles(pairs)
    for call in calls:
        if call.item.id in found:
            _complete(call.item, "dup_of", found[call.item.id])


def give_documents(calls: Sequence[Call], retrieved: Sequence[Retrieved]) -> None:
    """To each call what was retrieved in its trace before it began; joining gives those that find no room here."""
    by_trace: dict[str, list[Retrieved]] = {}
    for found in sorted(retrieved, key=_end_ns):
        by_trace.setdefault(found.span.trace_id, []).append(found)
    room = MOST_GIVEN_CHARS
    for call in calls:
        ended = by_trace.get(call.span.trace_id)
        if not ended or call.item.documents:
            continue
        documents = _before(call, ended)
        room -= bytes_of_documents(documents)
        if room < 0:
            return
        if documents:
            _complete(call.item, "documents", documents)


def _before(call: Call, ended: Sequence[Retrieved]) -> tuple[Document, ...]:
    """What the last retrievals before the call found, in the order in which they began: 50 documents or a few more."""
    last: list[Retrieved] = []
    documents = 0
    for place in range(bisect_right(ended, call.span.start_ns, key=_end_ns) - 1, -1, -1):
        last.append(ended[place])
        documents += len(ended[place].documents)
        if documents >= MAX_DOCUMENTS:
            break
    last.sort(key=lambda r: r.span.start_ns)
    return tuple(d for r in last for d in r.documents)


def _end_ns(found: Retrieved) -> int:
    return found.span.end_ns


def _nested(calls: Sequence[Call], tree: SpanTree) -> Iterator[Pair]:
    """Each call with the nearest one around it."""
    if not any(call.span.parent_span_id for call in calls):
        return
    by_key = {(c.span.trace_id, c.span.span_id): c for c in calls}
    reports: dict[str, Report] = {}
    for call in calls:
        for above in tree.ancestors(call.span):
            outer = by_key.get((above.trace_id, above.span_id))
            if outer is not None:
                yield Pair(one=_report(outer, reports), other=_report(call, reports), nested=True)
                break


def _of_one_response(calls: Sequence[Call]) -> Iterator[Pair]:
    named = [call.item.response_id for call in calls if call.item.response_id]
    if len(set(named)) == len(named):
        return
    by_response: dict[str, list[Call]] = {}
    for call in calls:
        if call.item.response_id:
            by_response.setdefault(call.item.response_id, []).append(call)
    for same in by_response.values():
        if len(same) > 1:
            reports = sorted((report_of(call.item) for call in same), key=lambda r: (r.started_at, r.id))
            for i, one in enumerate(reports):
                for other in reports[i + 1 : i + 1 + NEXT]:
                    yield Pair(one=one, other=other)


def _report(call: Call, known: dict[str, Report]) -> Report:
    if call.item.id not in known:
        known[call.item.id] = report_of(call.item)
    return known[call.item.id]


def _complete(item: Interaction, name: str, value: str | tuple[Document, ...]) -> None:
    """Set a field of what a decoder has just made and nobody else holds: a copy costs as much as the decoding did."""
    object.__setattr__(item, name, value)
