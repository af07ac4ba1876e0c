"""Find duplicate reports of a call within one request, and attach retrieved documents to calls."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from monitor.domain.call_tree import Link, nested_calls
from monitor.domain.duplicates import NEXT, Pair, duplicates
from monitor.domain.interaction import Document, Interaction
from monitor.domain.reports import report_of
from monitor.domain.span_link import SpanLink
from monitor.domain.trace_calls import last_kept
from monitor.ingest.batch_weight import bytes_of_documents
from monitor.ingest.conventions.span_context import MAX_DOCUMENTS
from monitor.ingest.spans import OtlpSpan

MAX_ATTACHED_CHARS = 16 * 1024 * 1024  # of documents, counted once for each call: many calls may follow one retrieval


class Call(NamedTuple):
    span: OtlpSpan
    item: Interaction


class Retrieved(NamedTuple):
    span: OtlpSpan
    documents: tuple[Document, ...]


def mark_duplicates(calls: Sequence[Call], links: Sequence[SpanLink]) -> list[Call]:
    """Return the calls, each duplicate in this request with the id of the report that is kept.

    The link loop finds the duplicates across requests.
    """
    if len(calls) < 2:
        return [*calls]
    kept_ids = {**_nested_duplicates(calls, links)}
    remaining = [call for call in calls if call.item.id not in kept_ids]
    kept_ids |= duplicates(_pairs_of_one_response(remaining))
    return [
        call if (kept := kept_ids.get(call.item.id)) is None else _with(call, duplicate_of=kept_ids.get(kept, kept))
        for call in calls
    ]


def attach_documents(calls: Sequence[Call], retrieved: Sequence[Retrieved]) -> list[Call]:
    """Return the calls, each with the documents that its trace retrieved before it began.

    The link loop attaches those that exceed the limit here.
    """
    by_trace: dict[str, list[Retrieved]] = {}
    for retrieval in sorted(retrieved, key=_end_ns):
        by_trace.setdefault(retrieval.span.trace_id, []).append(retrieval)
    remaining = MAX_ATTACHED_CHARS
    attached = [*calls]
    for index, call in enumerate(calls):
        ended = by_trace.get(call.span.trace_id)
        if not ended or call.item.documents:
            continue
        documents = _documents_before(call, ended)
        remaining -= bytes_of_documents(documents)
        if remaining < 0:
            break
        if documents:
            attached[index] = _with(call, documents=documents)
    return attached


def _documents_before(call: Call, ended: Sequence[Retrieved]) -> tuple[Document, ...]:
    """Return the documents of the last retrievals before the call, in start order: 50 documents or a few more."""
    last: list[Retrieved] = []
    documents = 0
    for index in range(bisect_right(ended, call.span.start_ns, key=_end_ns) - 1, -1, -1):
        last.append(ended[index])
        documents += len(ended[index].documents)
        if documents >= MAX_DOCUMENTS:
            break
    last.sort(key=lambda r: r.span.start_ns)
    return tuple(d for r in last for d in r.documents)


def _end_ns(found: Retrieved) -> int:
    return found.span.end_ns


def _nested_duplicates(calls: Sequence[Call], links: Sequence[SpanLink]) -> dict[str, str]:
    """Return nested duplicates by trace and deployment: each deployment counts its own calls."""
    if not any(call.span.parent_span_id for call in calls):
        return {}
    traces: dict[str, list[Call]] = {}
    for call in calls:
        traces.setdefault(call.span.trace_id, []).append(call)
    linked: dict[str, dict[str, Link]] = {}
    for link in links:
        linked.setdefault(link.trace_id, {})[link.span_id] = Link(link.parent_span_id, link.is_tool)
    found: dict[str, str] = {}
    for trace, own in traces.items():
        if len(own) > 1:
            found |= _nested_in_trace(own, linked.get(trace, {}))
    return found


def _nested_in_trace(calls: Sequence[Call], links: Mapping[str, Link]) -> dict[str, str]:
    found: dict[str, str] = {}
    for deployment in dict.fromkeys(call.item.deployment for call in calls):
        others = [call.span for call in calls if call.item.deployment != deployment]
        between = {**links, **{span.span_id: Link(span.parent_span_id, is_tool=False) for span in others}}
        reports = [report_of(call.item) for call in calls if call.item.deployment == deployment]
        same = nested_calls(reports, between)
        found |= {id_: last_kept(same, id_) for id_ in same}
    return found


def _pairs_of_one_response(calls: Sequence[Call]) -> Iterator[Pair]:
    response_ids = [call.item.response_id for call in calls if call.item.response_id]
    if len(set(response_ids)) == len(response_ids):
        return
    by_response: dict[str, list[Call]] = {}
    for call in calls:
        if call.item.response_id:
            by_response.setdefault(call.item.response_id, []).append(call)
    for group in by_response.values():
        if len(group) > 1:
            reports = sorted((report_of(call.item) for call in group), key=lambda r: (r.started_at, r.id))
            for i, one in enumerate(reports):
                for other in reports[i + 1 : i + 1 + NEXT]:
                    yield Pair(one=one, other=other)


def _with(call: Call, **values: str | tuple[Document, ...]) -> Call:
    """Return the call with other values of fields."""
    return Call(call.span, replace(call.item, **values))
