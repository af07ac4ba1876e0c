"""OTLP over a real gRPC server with a plain channel. The real exporters are in test_exporters.py."""

import gzip
import socket
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.message import Message  # type: ignore[import-untyped]  # protobuf ships no types
from google.rpc.error_details_pb2 import RetryInfo  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)

from monitor.api.auth import Role, Token, Tokens
from monitor.config.section import sha256_hex
from monitor.ingest.intake import Counts, Intake, Pending
from monitor.ingest.limits import Limits
from monitor.otlp_parts import may
from monitor.store.engine.database import Store
from tests.api.policies import policy
from tests.ingest import build
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline, receiver, receiving, served_grpc
from tests.ingest.transports import METHODS
from tests.properties import examples

MIB = 2**20


def call(channel: grpc.Channel, body: bytes, signal: str = "traces", **options: Any) -> bytes:
    answer: bytes = export(channel, METHODS[signal])(body, timeout=30, **options)
    return answer


def export(channel: grpc.Channel, method: str) -> Any:
    """Return a function that calls a method with bytes and returns bytes."""
    return channel.unary_unary(method)


def refused(channel: grpc.Channel, body: bytes, signal: str = "traces", **options: Any) -> Any:
    with pytest.raises(grpc.RpcError) as caught:
        call(channel, body, signal, **options)
    return caught.value


def trailers(error: Any) -> Mapping[str, bytes]:
    return dict(error.trailing_metadata())


def request(*span_ids: str, **changes: Any) -> bytes:
    message: Message = ExportTraceServiceRequest()
    scope = message.resource_spans.add().scope_spans.add()
    for span_id in span_ids:
        span = scope.spans.add(
            trace_id=bytes.fromhex(build.TRACE),
            span_id=bytes.fromhex(span_id),
            name="chat",
            start_time_unix_nano=build.START_NS,
            end_time_unix_nano=build.START_NS + 10**9,
            **changes,
        )
        span.attributes.add(key="gen_ai.operation.name").value.string_value = "chat"
        span.attributes.add(key="gen_ai.request.model").value.string_value = "gpt-4"
    sent: bytes = message.SerializeToString()
    return sent


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IngestPipeline]:
    with ingest_pipeline(tmp_path_factory.mktemp("house")) as opened:
        yield opened


@pytest.fixture(scope="module")
def channel(pipeline: IngestPipeline) -> Iterator[grpc.Channel]:
    of = receiver(pipeline, limits=Limits(wire_bytes=MIB, plain_bytes=MIB))
    with (
        served_grpc(of, max_message_bytes=MIB) as where,
        grpc.insecure_channel(where, options=[("grpc.max_send_message_length", -1)]) as opened,
    ):
        yield opened


def test_rows_are_stored_before_the_answer(pipeline: IngestPipeline, channel: grpc.Channel) -> None:
    assert call(channel, request("00000000000000a1")) == b""
    assert f"{build.TRACE}:00000000000000a1" in {row.id for row in pipeline.rows()}


def test_rejected_records_are_counted_and_the_rest_is_stored(pipeline: IngestPipeline, channel: grpc.Channel) -> None:
    answer = ExportTraceServiceResponse.FromString(call(channel, request("00000000000000b1", "0000")))
    assert answer.partial_success.rejected_spans == 1
    assert "span id is not 16 hexadecimal digits" in answer.partial_success.error_message
    assert f"{build.TRACE}:00000000000000b1" in {row.id for row in pipeline.rows()}


def test_metrics_are_accepted_and_ignored(pipeline: IngestPipeline, channel: grpc.Channel) -> None:
    before = len(pipeline.rows())
    assert call(channel, b"whatever they are", "metrics") == b""
    assert len(pipeline.rows()) == before


def test_other_grpc_services_are_unimplemented(channel: grpc.Channel) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        export(channel, "/opentelemetry.proto.collector.profiles.v1development.ProfilesService/Export")(b"")
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_a_body_that_is_not_a_message_is_an_invalid_argument(channel: grpc.Channel) -> None:
    error = refused(channel, b"\xff\xff")
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert error.details() == "the body is not a protobuf ExportTraceServiceRequest"
    status = Status.FromString(trailers(error)["grpc-status-details-bin"])
    assert (status.code, status.message) == (grpc.StatusCode.INVALID_ARGUMENT.value[0], error.details())
    assert "google.rpc.retryinfo-bin" not in trailers(error)


@pytest.mark.parametrize("compression", [grpc.Compression.Gzip, grpc.Compression.Deflate])
def test_a_compression_bomb_is_rejected_in_every_encoding(channel: grpc.Channel, compression: grpc.Compression) -> None:
    error = refused(channel, bytes(100 * MIB), compression=compression)
    assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert "larger than 1048576 bytes after decompression (ingest.max_body_mb)" in error.details()


def test_a_message_too_large_on_the_wire_is_rejected_without_retry(channel: grpc.Channel) -> None:
    error = refused(channel, bytes(2 * MIB))
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "google.rpc.retryinfo-bin" not in trailers(error)
    assert call(channel, request("00000000000000c1")) == b"", "the connection goes on"


def test_tokens_are_those_of_http(pipeline: IngestPipeline) -> None:
    tokens = Tokens(
        [
            Token(name="app", sha256=sha256_hex("the-token"), roles=frozenset({Role.INGEST})),
            Token(name="reader", sha256=sha256_hex("reading"), roles=frozenset({Role.READ})),
        ]
    )
    with (
        served_grpc(receiver(pipeline, authorize=may(tokens, Role.INGEST, policy()))) as where,
        grpc.insecure_channel(where) as opened,
    ):
        body = request("00000000000000d1")
        assert refused(opened, body).code() is grpc.StatusCode.UNAUTHENTICATED
        reader = refused(opened, body, metadata=(("authorization", "Bearer reading"),))
        assert (reader.code(), "does not have it" in reader.details()) == (grpc.StatusCode.PERMISSION_DENIED, True)
        assert call(opened, body, metadata=(("authorization", "Bearer the-token"),)) == b""
        assert call(opened, body, metadata=(("authorization", "Basic cHVibGljOnRoZS10b2tlbg=="),)) == b""


def retry_s(error: Any) -> list[int]:
    """Return the retry delay from both places where exporters read it."""
    (packed,) = Status.FromString(trailers(error)["grpc-status-details-bin"]).details
    by_details, alone = RetryInfo(), RetryInfo.FromString(trailers(error)["google.rpc.retryinfo-bin"])
    assert packed.Unpack(by_details)
    return [by_details.retry_delay.seconds, alone.retry_delay.seconds]


def test_a_full_intake_is_resource_exhausted_with_a_retry_delay() -> None:
    """No writer is running, so the intake stays full."""
    intake = Intake(1)
    intake.submit(build.batch("other"))
    with served_grpc(receiving(intake)) as where, grpc.insecure_channel(where) as opened:
        error = refused(opened, request("00000000000000e1"))
    assert (error.code(), retry_s(error)) == (grpc.StatusCode.RESOURCE_EXHAUSTED, [1, 1])
    assert intake.rows == 1


def test_a_store_that_cannot_write_is_unavailable_with_a_retry_delay(tmp_path: Path) -> None:
    with (
        ingest_pipeline(tmp_path) as pipeline,
        served_grpc(receiver(pipeline)) as where,
        grpc.insecure_channel(where) as opened,
    ):
        pipeline.store.close()
        error = refused(opened, request("00000000000000e2"))
        pipeline.store = Store.open(pipeline.store.path, clock=pipeline.clock)
        pipeline.store.close()
    assert (error.code(), retry_s(error)) == (grpc.StatusCode.UNAVAILABLE, [1, 1])


def test_a_bug_is_internal_which_exporters_do_not_send_again(caplog: pytest.LogCaptureFixture) -> None:
    def broken(*_: object) -> None:
        raise KeyError("a bug")

    with served_grpc(receiving(Intake(1), authorize=broken)) as where, grpc.insecure_channel(where) as opened:
        error = refused(opened, b"")
    assert error.code() is grpc.StatusCode.INTERNAL
    assert "a bug" not in error.details()
    assert "traces over gRPC failed" in caplog.text


def test_many_calls_of_one_connection_are_answered_at_once(pipeline: IngestPipeline, channel: grpc.Channel) -> None:
    bodies = [request(f"{0xF000 + i:016x}") for i in range(400)]
    with ThreadPoolExecutor(40) as senders:
        assert set(senders.map(lambda body: call(channel, body), bodies)) == {b""}
    assert len({row.id for row in pipeline.rows()} & {f"{build.TRACE}:{0xF000 + i:016x}" for i in range(400)}) == 400


def test_stopping_answers_requests_in_flight_and_rejects_new_ones() -> None:
    """The commit comes after the stop has begun. The call in flight waits for it and is answered."""
    intake = Intake(10)
    with ThreadPoolExecutor(2) as others, ExitStack() as opened:
        where = opened.enter_context(served_grpc(receiving(intake)))
        with grpc.insecure_channel(where) as channel:
            answer = others.submit(call, channel, request("00000000000000f1"))
            [pending] = intake.take(10, wait_s=30, gather_s=0)
            others.submit(commit_when_nothing_listens, where, pending)
            opened.close()
            assert answer.result(10) == b""  # it was answered; this thread may receive the answer later
            assert refused(channel, request("00000000000000f2")).code() is grpc.StatusCode.UNAVAILABLE


def commit_when_nothing_listens(where: str, pending: Pending) -> None:
    host, port = where.split(":")
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
        except ConnectionError:  # refused, or reset: the listener closed between the handshake and the accept
            break
    pending.receipt.future.set_result(Counts(accepted=1, duplicates=0))


@given(body=st.one_of(st.binary(max_size=300), st.binary(max_size=60).map(lambda tail: b"\x1f\x8b\x08" + tail)))
@settings(max_examples=examples(150), deadline=None)
def test_no_message_makes_the_server_fail(channel: grpc.Channel, body: bytes) -> None:
    for sent in (body, gzip.compress(body)):
        assert code_of(channel, sent) in (grpc.StatusCode.OK, grpc.StatusCode.INVALID_ARGUMENT)


def code_of(channel: grpc.Channel, body: bytes) -> grpc.StatusCode:
    code: grpc.StatusCode = export(channel, METHODS["traces"]).future(body, timeout=30).code()
    return code
