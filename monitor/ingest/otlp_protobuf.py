"""OTLP in protobuf, as HTTP and gRPC carry it, to plain records."""

from collections.abc import Iterable
from typing import Any

from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # protobuf ships no types
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from monitor.errors import MalformedRecord
from monitor.ingest.otlp_records import OtlpLog, OtlpRequest, OtlpSpan, SpanEvent


def read_traces(body: bytes) -> OtlpRequest:
    request = ExportTraceServiceRequest()
    _parse(request, body, "ExportTraceServiceRequest")
    return OtlpRequest(
        spans=tuple(
            _span(span, resource)
            for group in request.resource_spans
            for resource in [_attributes(group.resource.attributes)]
            for scope in group.scope_spans
            for span in scope.spans
        )
    )


def read_logs(body: bytes) -> OtlpRequest:
    request = ExportLogsServiceRequest()
    _parse(request, body, "ExportLogsServiceRequest")
    return OtlpRequest(
        logs=tuple(
            _log(record, resource)
            for group in request.resource_logs
            for resource in [_attributes(group.resource.attributes)]
            for scope in group.scope_logs
            for record in scope.log_records
        )
    )


def _parse(message: ExportTraceServiceRequest | ExportLogsServiceRequest, body: bytes, what: str) -> None:
    try:
        message.ParseFromString(body)
    except DecodeError as error:
        raise MalformedRecord(f"the body is no protobuf {what}") from error


def _span(span: Span, resource: dict[str, Any]) -> OtlpSpan:
    return OtlpSpan(
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_span_id=span.parent_span_id.hex() or None,
        name=span.name,
        start_ns=span.start_time_unix_nano,
        end_ns=span.end_time_unix_nano,
        attributes=_attributes(span.attributes),
        events=tuple(
            SpanEvent(name=e.name, time_ns=e.time_unix_nano, attributes=_attributes(e.attributes)) for e in span.events
        ),
        failed=span.status.code == Status.STATUS_CODE_ERROR,
        resource=resource,
    )


def _log(record: LogRecord, resource: dict[str, Any]) -> OtlpLog:
    attributes = _attributes(record.attributes)
    return OtlpLog(
        trace_id=record.trace_id.hex(),
        span_id=record.span_id.hex(),
        event_name=record.event_name or str(attributes.get("event.name", "")),
        time_ns=record.time_unix_nano or record.observed_time_unix_nano,
        attributes=attributes,
        body=_value(record.body),
        resource=resource,
    )


def _attributes(pairs: Iterable[KeyValue]) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind is None:
        return None
    if kind == "array_value":
        return [_value(item) for item in value.array_value.values]
    if kind == "kvlist_value":
        return _attributes(value.kvlist_value.values)
    if kind == "bytes_value":
        return value.bytes_value.hex()
    return getattr(value, kind)
