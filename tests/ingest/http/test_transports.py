"""The same content gives equal rows over every transport."""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message  # type: ignore[import-untyped]  # protobuf ships no types
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction
from monitor.guards.media_types import JSON
from monitor.ingest.http.mislabelled import PROTOBUF
from monitor.ingest.otlp.wire import TRACES
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback, interactions
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline
from tests.ingest.transports import TRANSPORTS, as_json, contents
from tests.properties import examples

ONCE = datetime(2026, 11, 21, tzinfo=UTC)
Rows = tuple[list[Interaction], list[Feedback], list[tuple[str, str]]]


def rows_of(pipeline: IngestPipeline) -> Rows:
    """Return all stored rows without their arrival time."""
    pipeline.join()
    with pipeline.store.read() as tx:
        calls = everything(lambda query: interactions.page(tx, query))
        said = everything(lambda query: feedback.page(tx, query))
    return (
        sorted((structs.replace(row, received_at=ONCE) for row in calls), key=lambda row: row.id),
        sorted((replace(row, received_at=ONCE) for row in said), key=lambda row: row.id),
        sorted((letter.code, letter.reason) for letter in pipeline.letters()),
    )


def everything(page: Callable[[PageQuery], Any]) -> list[Any]:
    query = PageQuery(limit=500)
    found: list[Any] = []
    while True:
        got = page(query)
        found += got.items
        if got.next_cursor is None:
            return found
        query = replace(query, cursor=got.next_cursor)


def sent_over(transport: str, folder: Path) -> Rows:
    folder.mkdir()
    with ingest_pipeline(folder) as pipeline:
        with TRANSPORTS[transport](pipeline) as send:
            for content in contents():
                send(content.signal, content.body)
        return rows_of(pipeline)


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    return sent_over("protobuf", tmp_path_factory.mktemp("transports") / "usual")


@pytest.mark.parametrize("transport", [name for name in TRANSPORTS if name != "protobuf"])
def test_requests_of_all_clients_give_the_same_rows_over_every_transport(
    transport: str, usual: Rows, tmp_path: Path
) -> None:
    assert len(usual[0]) > 100
    assert sent_over(transport, tmp_path / "house") == usual


SCALARS = st.one_of(
    st.text(max_size=20).map(lambda v: AnyValue(string_value=v)),
    st.booleans().map(lambda v: AnyValue(bool_value=v)),
    st.integers(min_value=-(2**63), max_value=2**63 - 1).map(lambda v: AnyValue(int_value=v)),
    st.floats(allow_nan=True, allow_infinity=True).map(lambda v: AnyValue(double_value=v)),
    st.binary(max_size=20).map(lambda v: AnyValue(bytes_value=v)),
    st.just(AnyValue()),
)


def lists(inner: st.SearchStrategy[AnyValue]) -> st.SearchStrategy[AnyValue]:
    def array(items: list[AnyValue]) -> AnyValue:
        value = AnyValue()
        value.array_value.values.extend(items)
        return value

    def mapping(items: dict[str, AnyValue]) -> AnyValue:
        value = AnyValue()
        value.kvlist_value.values.extend(KeyValue(key=k, value=v) for k, v in items.items())
        return value

    keys = st.text(max_size=8)
    return st.lists(inner, max_size=3).map(array) | st.dictionaries(keys, inner, max_size=3).map(mapping)


@given(values=st.dictionaries(st.text(max_size=10), st.recursive(SCALARS, lists, max_leaves=8), max_size=5))
@settings(max_examples=examples(200), deadline=None)
def test_any_value_is_equal_from_protobuf_and_from_json(values: dict[str, AnyValue]) -> None:
    request: Message = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add(trace_id=b"t" * 16, span_id=b"s" * 8, name="any")
    span.attributes.extend(KeyValue(key=k, value=v) for k, v in values.items())
    span.events.add(name="e", time_unix_nano=7).attributes.extend(span.attributes)
    body = request.SerializeToString()
    from_protobuf, from_json = TRACES.readers[PROTOBUF](body), TRACES.readers[JSON](as_json("traces", body))
    assert from_json == from_protobuf
