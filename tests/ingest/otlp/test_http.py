import asyncio
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from google.rpc.code_pb2 import Code  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from monitor.errors import Forbidden, Unauthenticated
from monitor.ingest.intake import Batch, Counts, Intake, Receipt
from monitor.ingest.limits import Limits
from monitor.ingest.otlp.http import build_app
from monitor.store.engine.database import Store
from tests.ingest import build
from tests.ingest.captures import captures
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline, otlp_app, receiving, served
from tests.properties import examples

PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IngestPipeline]:
    with ingest_pipeline(tmp_path_factory.mktemp("house")) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(pipeline: IngestPipeline) -> Iterator[httpx.Client]:
    with served(otlp_app(pipeline, limits=Limits(wire_bytes=200_000, plain_bytes=200_000))) as opened:
        yield opened


def one_span(**changes: Any) -> dict[str, Any]:
    """Return a chat call in OTLP JSON."""
    return {
        "traceId": build.TRACE,
        "spanId": build.SPAN,
        "name": "chat gpt-4",
        "startTimeUnixNano": str(build.START_NS),
        "endTimeUnixNano": str(build.START_NS + 10**9),
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.request.model", "value": {"stringValue": "gpt-4"}},
        ],
    } | changes


def document(*spans: dict[str, Any]) -> bytes:
    return json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def with_ids(span_id: str, **changes: Any) -> dict[str, Any]:
    return one_span(spanId=span_id, **changes)


def status_of(answer: httpx.Response) -> Status:
    """Return the error, decoded by the content type of the answer."""
    if answer.headers["content-type"] == "application/x-protobuf":
        return Status.FromString(answer.content)
    found = answer.json()
    return Status(code=found["code"], message=found["message"])


def test_json_ids_are_hex_and_rows_are_stored_before_the_answer(pipeline: IngestPipeline, client: httpx.Client) -> None:
    answer = client.post("/v1/traces", content=document(with_ids("00000000000000a1")), headers=JSON)
    assert (answer.status_code, answer.json(), answer.headers["content-type"]) == (200, {}, "application/json")
    assert f"{build.TRACE}:00000000000000a1" in {row.id for row in pipeline.rows()}


@pytest.mark.parametrize(
    ("encoding", "pack"),
    [
        ("gzip", gzip.compress),
        ("deflate", zlib.compress),
        ("deflate", lambda plain: zlib.compress(plain, wbits=-zlib.MAX_WBITS)),
        ("identity", bytes),
    ],
)
def test_compressed_bodies_are_read(client: httpx.Client, encoding: str, pack: Any) -> None:
    body = pack(document(with_ids("00000000000000a2")))
    answer = client.post("/v1/traces", content=body, headers=JSON | {"content-encoding": encoding})
    assert answer.status_code == 200


def test_a_malformed_span_is_counted_and_kept_and_the_rest_is_stored(
    pipeline: IngestPipeline, client: httpx.Client
) -> None:
    bad = with_ids("00000000000000b1", startTimeUnixNano="0")
    worse = with_ids("00000000000000b2", startTimeUnixNano=["not", "a", "number"])
    answer = client.post("/v1/traces", content=document(bad, with_ids("00000000000000b3"), worse), headers=JSON)
    partial = answer.json()["partialSuccess"]
    assert answer.status_code == 200
    assert partial["rejectedSpans"] == "2"
    assert partial["errorMessage"] == "startTimeUnixNano is not a 64-bit integer (and 1 more)"
    assert f"{build.TRACE}:00000000000000b3" in {row.id for row in pipeline.rows()}
    letters = {letter.reason: letter for letter in pipeline.letters()}
    assert "span 'chat gpt-4': the span has no start time" in letters
    assert json.loads(letters["startTimeUnixNano is not a 64-bit integer"].raw)["spanId"] == "00000000000000b2"
    assert letters["startTimeUnixNano is not a 64-bit integer"].source == "otlp"


def test_partial_success_is_also_reported_in_protobuf(client: httpx.Client) -> None:
    request = ExportTraceServiceRequest()
    span = request.resource_spans.add().scope_spans.add().spans.add(name="chat", start_time_unix_nano=1)
    span.attributes.add(key="gen_ai.operation.name").value.string_value = "chat"
    answer = client.post("/v1/traces", content=request.SerializeToString(), headers=PROTOBUF)
    partial = ExportTraceServiceResponse.FromString(answer.content).partial_success
    assert partial.rejected_spans == 1
    assert "trace id is not 32 hexadecimal digits" in partial.error_message


def test_events_without_a_span_are_rejected_log_records(client: httpx.Client) -> None:
    record = {"eventName": "gen_ai.user.message", "body": {"stringValue": "hi"}}
    body = json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record, {"body": {"stringValue": "x"}}]}]}]})
    answer = client.post("/v1/logs", content=body, headers=JSON)
    assert answer.json()["partialSuccess"]["rejectedLogRecords"] == "1"


@pytest.mark.parametrize("headers", [PROTOBUF, JSON])
@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs"])
def test_an_undecodable_body_is_400_in_the_content_type_of_the_request(
    client: httpx.Client, path: str, headers: dict[str, str]
) -> None:
    answer = client.post(path, content=b"\xff\xff{", headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (400, headers["content-type"])
    assert status_of(answer).code == Code.INVALID_ARGUMENT
    assert "body" in status_of(answer).message


def test_a_broken_compression_is_400(client: httpx.Client) -> None:
    cut = gzip.compress(document(one_span()))[:-9]
    for body in (b"no gzip", cut):
        answer = client.post("/v1/traces", content=body, headers=JSON | {"content-encoding": "gzip"})
        assert (answer.status_code, "decompressed" in status_of(answer).message) == (400, True)


@pytest.mark.parametrize("headers", [{"content-type": "text/plain"}, JSON | {"content-encoding": "br"}])
def test_an_unsupported_content_type_is_415_with_the_supported_ones(
    client: httpx.Client, headers: dict[str, str]
) -> None:
    answer = client.post("/v1/traces", content=b"{}", headers=headers)
    assert answer.status_code == 415
    assert re.search("known:|send the body as application/x-protobuf", status_of(answer).message)


def test_a_body_too_large_is_413_before_and_after_decompression(client: httpx.Client) -> None:
    bomb = gzip.compress(b" " * 50_000_000)
    assert len(bomb) < 200_000
    for body, encoding in ((b" " * 200_001, "identity"), (bomb, "gzip")):
        answer = client.post("/v1/traces", content=body, headers=JSON | {"content-encoding": encoding})
        assert answer.status_code == 413
        assert "send smaller batches" in status_of(answer).message


def test_a_body_without_a_length_is_cut_off_at_the_limit(client: httpx.Client) -> None:
    def endless() -> Iterator[bytes]:
        for _ in range(300):
            yield b" " * 1000

    answer = client.post("/v1/traces", content=endless(), headers=JSON)
    assert answer.status_code == 413


def test_metrics_are_accepted_and_ignored(client: httpx.Client) -> None:
    answer = client.post("/v1/metrics", content=b"\x0a\x00", headers=PROTOBUF)
    assert (answer.status_code, answer.content) == (200, b"")


def test_spans_that_are_not_model_calls_are_skipped_silently(pipeline: IngestPipeline, client: httpx.Client) -> None:
    before = (len(pipeline.rows()), len(pipeline.letters()))
    plain = with_ids("00000000000000c1", attributes=[], startTimeUnixNano="0")
    answer = client.post("/v1/traces", content=document(plain), headers=JSON)
    assert (answer.status_code, answer.json()) == (200, {})
    assert (len(pipeline.rows()), len(pipeline.letters())) == before


@pytest.mark.parametrize(("error", "status"), [(Unauthenticated, 401), (Forbidden, 403)])
def test_an_invalid_token_is_rejected_before_the_body_is_read(
    pipeline: IngestPipeline, error: type[Exception], status: int
) -> None:
    def refuse(headers: Mapping[str, str], _caller: object) -> None:
        raise error(f"token of {headers['x-who']} does not hold")

    with served(otlp_app(pipeline, authorize=refuse, limits=Limits(wire_bytes=1))) as client:
        answer = client.post("/v1/traces", content=document(one_span()), headers=PROTOBUF | {"x-who": "bob"})
    assert answer.status_code == status
    assert status_of(answer).message == "token of bob does not hold"


def test_a_full_intake_is_429_with_retry_after_and_no_row_is_lost_or_repeated(tmp_path: Path) -> None:
    """No writer is running until the test writes, so the intake stays full."""
    intake = Intake(1)
    intake.submit(build.batch("other"))
    with served(build_app(receiving(intake))) as client:
        answer = client.post("/v1/traces", content=document(one_span()), headers=JSON)
    assert (answer.status_code, answer.headers["retry-after"]) == (429, "1")
    assert status_of(answer).code == Code.RESOURCE_EXHAUSTED
    assert intake.rows == 1


def test_a_store_that_cannot_write_is_503_with_retry_after(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(otlp_app(pipeline)) as client:
        pipeline.store.close()
        answer = client.post("/v1/traces", content=document(one_span()), headers=JSON)
        pipeline.store = Store.open(pipeline.store.path, clock=pipeline.clock)
        pipeline.store.close()
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
    assert status_of(answer).code == Code.UNAVAILABLE


def test_a_commit_that_takes_too_long_is_503_and_the_rows_are_stored(tmp_path: Path) -> None:
    intake = Intake(10)
    app = build_app(receiving(intake, timeout_s=0.05))
    with served(app) as client:
        answer = client.post("/v1/traces", content=document(one_span()), headers=JSON)
    assert answer.status_code == 503
    assert "send it again" in status_of(answer).message
    [pending] = intake.take(10, wait_s=0, gather_s=0)
    assert not pending.receipt.future.done()
    assert pending.batch.interactions[0].id == f"{build.TRACE}:{build.SPAN}"


def test_a_bug_is_500_which_exporters_do_not_send_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a bug")

    with served(build_app(receiving(Intake(1), authorize=broken))) as client:
        answer = client.post("/v1/traces", content=b"", headers=PROTOBUF)
    assert (answer.status_code, status_of(answer).code) == (500, Code.INTERNAL)
    assert "a bug" not in status_of(answer).message
    assert "/v1/traces failed" in caplog.text


def test_a_repeated_request_has_the_same_answer_and_is_stored_once(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(otlp_app(pipeline)) as client:
        for request in captures("otel-genai-span")[:3] * 2:
            assert request.send(client).status_code == 200
        assert len({row.id for row in pipeline.rows()}) == len(pipeline.rows()) == 3


BODIES = st.one_of(
    st.binary(max_size=300),
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=4)
            | st.dictionaries(
                st.sampled_from(
                    ["resourceSpans", "scopeSpans", "spans", "attributes", "key", "value", "traceId", "events"]
                ),
                inner,
                max_size=4,
            )
        ),
        max_leaves=20,
    ).map(lambda value: json.dumps(value).encode()),
)


@pytest.mark.parametrize(
    ("method", "path", "status"), [("POST", "/", 404), ("POST", "/v1/trace", 404), ("GET", "/v1/traces", 405)]
)
def test_a_wrong_path_or_method_is_answered_with_the_right_one(
    client: httpx.Client, method: str, path: str, status: int
) -> None:
    answer = client.request(method, path)
    assert (answer.status_code, answer.headers.get("allow")) == (status, "POST" if status == 405 else None)
    assert answer.json()["message"].startswith(f"no such endpoint: {method} {path}; send OTLP by POST to /v1/tra")


class Swallowing(Intake):
    """Accepts everything at once: the tests check the code before it."""

    def submit(self, batch: Batch, *, wait_s: float = 0.0) -> Receipt:
        receipt = Receipt()
        receipt.future.set_result(Counts(accepted=batch.rows, duplicates=0))
        return receipt


@given(body=BODIES, path=st.sampled_from(["/v1/traces", "/v1/logs"]), headers=st.sampled_from([PROTOBUF, JSON]))
@settings(max_examples=examples(300), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_body_makes_the_server_fail(body: bytes, path: str, headers: dict[str, str]) -> None:
    app = build_app(receiving(Swallowing(1)))

    async def post() -> httpx.Response:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://otlp") as client:
            return await client.post(path, content=body, headers=headers)

    assert asyncio.run(post()).status_code in (200, 400)
