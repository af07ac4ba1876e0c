"""OpenTelemetry's exporters against real servers."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from opentelemetry._logs import LogRecord
from opentelemetry.exporter.otlp.proto.grpc._log_exporter import OTLPLogExporter as GrpcLogs
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter as GrpcSpans
from opentelemetry.exporter.otlp.proto.http import Compression
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter as HttpLogs
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter as HttpSpans
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import SimpleLogRecordProcessor
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor, SpanExportResult
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from monitor.errors import IntakeFull, Unauthenticated
from monitor.ingest.intake import Batch, Counts, Intake, Receipt
from monitor.ingest.otlp.grpc import OtlpServices
from monitor.ingest.otlp.http import build_app
from monitor.ingest.otlp.receiver import Receiver
from monitor.servers import GrpcListener, HttpListener, Servers
from tests.ingest import build
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline, receiver, receiving, served, served_grpc

MAX_MESSAGE = 16 * 2**20
RESOURCE = Resource.create({"service.name": "support-bot"})


def call_span() -> ReadableSpan:
    """Return one finished chat call from the SDK."""
    stored = InMemorySpanExporter()
    provider = TracerProvider(resource=RESOURCE)
    provider.add_span_processor(SimpleSpanProcessor(stored))
    with provider.get_tracer("app").start_as_current_span("chat gpt-4") as span:
        span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4"})
    [finished] = stored.get_finished_spans()
    return finished


@contextmanager
def spans_over(transport: str, of: Receiver) -> Iterator[Any]:
    """Yield a span exporter of the transport, connected to its own server."""
    if transport.startswith("grpc"):
        compression = grpc.Compression.Gzip if "gzip" in transport else grpc.Compression.NoCompression
        with served_grpc(of) as where:
            exporter: Any = GrpcSpans(endpoint=where, insecure=True, compression=compression, timeout=20)
            try:
                yield exporter
            finally:
                exporter.shutdown()
        return
    packed = {"http, gzip": Compression.Gzip, "http, deflate": Compression.Deflate}
    with served(build_app(of)) as client:
        url = str(client.base_url.join("/v1/traces"))
        exporter = HttpSpans(endpoint=url, compression=packed.get(transport, Compression.NoCompression), timeout=20)
        try:
            yield exporter
        finally:
            exporter.shutdown()


TRANSPORTS = ("http", "http, gzip", "http, deflate", "grpc", "grpc, gzip")


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_span_of_the_sdk_is_stored(transport: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        with spans_over(transport, receiver(pipeline)) as exporter:
            assert exporter.export([call_span()]) is SpanExportResult.SUCCESS
        [row] = pipeline.rows()
        assert (row.deployment, row.request_model) == ("support", "gpt-4")


class Watched(Intake):
    """Sets an event at the first rejected batch."""

    def __init__(self, max_rows: int) -> None:
        super().__init__(max_rows)
        self.refused = threading.Event()

    def submit(self, batch: Batch, *, wait_s: float = 0.0) -> Receipt:
        try:
            return super().submit(batch, wait_s=wait_s)
        except IntakeFull:
            self.refused.set()
            raise


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_an_exporter_retries_after_the_delay_and_the_span_is_stored_once(
    transport: str, caplog: pytest.LogCaptureFixture
) -> None:
    intake = Watched(1)
    intake.submit(build.batch("other"))
    with spans_over(transport, receiving(intake)) as exporter, ThreadPoolExecutor(1) as sender:
        result = sender.submit(exporter.export, [call_span()])
        assert intake.refused.wait(30)
        intake.settle(intake.take(1, wait_s=0, gather_s=0))
        submitted = intake.take(10, wait_s=30, gather_s=0)
        intake.settle(submitted)
        for pending in submitted:
            pending.receipt.future.set_result(Counts(accepted=1, duplicates=0))
        assert result.result(30) is SpanExportResult.SUCCESS
    assert [len(pending.batch.interactions) for pending in submitted] == [1]
    assert intake.rows == 0
    assert "retrying in 1.00s" in caplog.text, "the pause is the retry delay of the answer"


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_an_invalid_token_is_not_retried(transport: str, caplog: pytest.LogCaptureFixture) -> None:
    def refuse(*_: object) -> None:
        raise Unauthenticated("the token is unknown")

    with spans_over(transport, receiving(Intake(1), authorize=refuse)) as exporter:
        assert exporter.export([call_span()]) is SpanExportResult.FAILURE
    assert "retrying" not in caplog.text


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_an_exporter_reconnects_to_a_restarted_daemon(transport: str, tmp_path: Path) -> None:
    """An exporter retries what it could not send during the restart."""
    key = "grpc" if transport == "grpc" else "http"
    with ingest_pipeline(tmp_path) as pipeline:
        first = serving(pipeline, key, port=0)
        where = first.addresses[key]
        first.stop()
        exporter: Any = GrpcSpans(endpoint=where, timeout=30)
        if transport == "http":
            exporter = HttpSpans(endpoint=f"{where}/v1/traces", timeout=30)
        with ThreadPoolExecutor(1) as sender:
            result = sender.submit(exporter.export, [call_span()])
            again = serving(pipeline, key, port=int(where.rpartition(":")[2]))
            assert result.result(60) is SpanExportResult.SUCCESS
            exporter.shutdown()
            again.stop()
        assert len(pipeline.rows()) == 1


def serving(pipeline: IngestPipeline, key: str, *, port: int) -> Servers:
    of = receiver(pipeline)
    site = HttpListener(key="http", app=build_app(of), host="127.0.0.1", port=port)
    grpc_site = GrpcListener(
        key="grpc", services=OtlpServices(of), host="127.0.0.1", port=port, max_message_bytes=MAX_MESSAGE
    )
    servers = Servers([site], []) if key == "http" else Servers([], [grpc_site])
    servers.start()
    return servers


@pytest.mark.parametrize("transport", ["http", "grpc"])
def test_log_records_of_the_sdk_are_texts_of_their_span(transport: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        of = receiver(pipeline)
        with served_grpc(of) as where, served(build_app(of)) as client:
            exporter: Any = GrpcLogs(endpoint=where, insecure=True)
            if transport == "http":
                exporter = HttpLogs(endpoint=str(client.base_url.join("/v1/logs")))
            tracing, logging = TracerProvider(resource=RESOURCE), LoggerProvider(resource=RESOURCE)
            logging.add_log_record_processor(SimpleLogRecordProcessor(exporter))
            tracing.add_span_processor(SimpleSpanProcessor(GrpcSpans(endpoint=where, insecure=True)))
            with tracing.get_tracer("app").start_as_current_span("chat") as span:
                span.set_attributes({"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4"})
                logging.get_logger("app").emit(
                    LogRecord(event_name="gen_ai.user.message", body={"content": "May I return a used kettle?"})
                )
            tracing.shutdown()
            logging.shutdown()
        assert pipeline.join() == 1
        [row] = pipeline.rows()
        assert row.input_text == "May I return a used kettle?"
