"""The wire format of OTLP: decoders, responses and error statuses for each signal and content type."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass

from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]  # protobuf ships no types
from google.protobuf.message import Message  # type: ignore[import-untyped]
from google.rpc.code_pb2 import Code  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsPartialSuccess, ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceResponse
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTracePartialSuccess,
    ExportTraceServiceResponse,
)
from starlette.responses import Response

from monitor.errors import DriftdError, Retryable
from monitor.guards.media_types import JSON, media_type_of, require_media_type
from monitor.ingest.http.body import UnsupportedMedia
from monitor.ingest.http.mislabelled import PROTOBUF
from monitor.ingest.otlp import json as otlp_json
from monitor.ingest.otlp import protobuf as otlp_protobuf
from monitor.ingest.spans import OtlpRequest

CODES = {
    400: Code.INVALID_ARGUMENT,
    401: Code.UNAUTHENTICATED,
    403: Code.PERMISSION_DENIED,
    404: Code.NOT_FOUND,
    408: Code.DEADLINE_EXCEEDED,
    413: Code.INVALID_ARGUMENT,
    415: Code.INVALID_ARGUMENT,
    429: Code.RESOURCE_EXHAUSTED,
    503: Code.UNAVAILABLE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Signal:
    """One of the three OTLP signals, named as in its path."""

    name: str
    readers: dict[str, Callable[[bytes], OtlpRequest]]
    answer: Callable[[int, str], Message]  # rejected records, why


def traces_answer(rejected: int, why: str) -> Message:
    if not rejected:
        return ExportTraceServiceResponse()
    return ExportTraceServiceResponse(
        partial_success=ExportTracePartialSuccess(rejected_spans=rejected, error_message=why)
    )


def logs_answer(rejected: int, why: str) -> Message:
    if not rejected:
        return ExportLogsServiceResponse()
    return ExportLogsServiceResponse(
        partial_success=ExportLogsPartialSuccess(rejected_log_records=rejected, error_message=why)
    )


def metrics_answer(_rejected: int, _why: str) -> Message:
    return ExportMetricsServiceResponse()


TRACES = Signal(
    name="traces", readers={PROTOBUF: otlp_protobuf.read_traces, JSON: otlp_json.read_traces}, answer=traces_answer
)
LOGS = Signal(name="logs", readers={PROTOBUF: otlp_protobuf.read_logs, JSON: otlp_json.read_logs}, answer=logs_answer)
METRICS = Signal(name="metrics", readers={}, answer=metrics_answer)


def content_type_of(header: str) -> str:
    """Return `application/x-protobuf` or `application/json`, without parameters."""
    return require_media_type(header, (PROTOBUF, JSON), UnsupportedMedia)


def answer_of(
    message: Message, content_type: str, status: int = 200, headers: dict[str, str] | None = None
) -> Response:
    if content_type == PROTOBUF:
        body = message.SerializeToString()
    else:
        body = json.dumps(MessageToDict(message), ensure_ascii=False).encode()
    return Response(body, status_code=status, media_type=content_type, headers=headers)


def error_of(error: DriftdError, content_type_header: str) -> Response:
    """Return a google.rpc.Status. 429 and 503 have Retry-After; exporters do not retry any other status."""
    known = media_type_of(content_type_header) == PROTOBUF
    headers = {"Retry-After": str(max(1, math.ceil(error.retry_after_s)))} if isinstance(error, Retryable) else None
    return answer_of(status_of(error), PROTOBUF if known else JSON, error.status, headers)


def status_of(error: DriftdError) -> Status:
    """Return the error as a google.rpc.Status, for gRPC and for the body of an HTTP response."""
    return Status(code=CODES.get(error.status, Code.INTERNAL), message=str(error))
