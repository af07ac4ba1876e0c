"""The batches of a sender: every record kind that driftd accepts, each with the ids that it must store."""

import gzip
import hashlib
import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue, KeyValueList

PROTOBUF = {"content-type": "application/x-protobuf"}
JSON = {"content-type": "application/json"}
TRACES_METHOD = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
UNWATCHED = "chat"  # no deployment of the configuration: its traffic plans no replay


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """One request as it is sent, with the same bytes every time."""

    to: str  # "otlp", "api" or "grpc"
    path: str
    headers: dict[str, str]
    body: bytes
    interactions: tuple[str, ...] = ()
    feedback: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()  # ids of interactions whose texts it brings apart from their spans
    letters: tuple[str, ...] = ()  # what the reasons of its malformed records end with


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Ids of some calls, the same for the same sender and number."""

    traces: tuple[bytes, ...]
    at_ns: int

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(f"{trace.hex()}:{span_id(trace).hex()}" for trace in self.traces)


def calls(sender: str, number: int, size: int) -> Calls:
    keys = (f"{sender}/{number}/{i}".encode() for i in range(size))
    return Calls(traces=tuple(hashlib.sha256(key).digest()[:16] for key in keys), at_ns=time.time_ns())


def span_id(trace: bytes) -> bytes:
    return trace[8:]


def spans_without_texts(found: Calls) -> Sent:
    """OTLP protobuf. The texts arrive in a separate request."""
    request = ExportTraceServiceRequest()
    spans = request.resource_spans.add().scope_spans.add().spans
    for trace in found.traces:
        span = spans.add(trace_id=trace, span_id=span_id(trace), name="chat", start_time_unix_nano=found.at_ns)
        span.end_time_unix_nano = found.at_ns + 10**9
        span.attributes.extend(_attributes(_CALL))
    return Sent(
        to="otlp", path="/v1/traces", headers=PROTOBUF, body=request.SerializeToString(), interactions=found.ids
    )


def texts_of(found: Calls) -> Sent:
    """OTLP log events of the older convention: one for the input, one for the output."""
    request = ExportLogsServiceRequest()
    records = request.resource_logs.add().scope_logs.add().log_records
    for trace in found.traces:
        for name, body in (("gen_ai.user.message", {"content": "refund?"}), ("gen_ai.choice", _ANSWER)):
            record = records.add(trace_id=trace, span_id=span_id(trace), time_unix_nano=found.at_ns, event_name=name)
            record.body.CopyFrom(_value(body))
    return Sent(to="otlp", path="/v1/logs", headers=PROTOBUF, body=request.SerializeToString(), texts=found.ids)


def spans_with_one_malformed(found: Calls) -> Sent:
    """OTLP JSON, gzip: the first span has no start time."""
    attributes = [{"key": key, "value": {"stringValue": value}} for key, value in _CALL.items()]
    spans = [
        {
            "traceId": trace.hex(),
            "spanId": span_id(trace).hex(),
            "name": trace.hex(),
            "startTimeUnixNano": str(found.at_ns if i else 0),
            "endTimeUnixNano": str(found.at_ns + 10**9),
            "attributes": attributes,
        }
        for i, trace in enumerate(found.traces)
    ]
    body = gzip.compress(json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).encode())
    return Sent(
        to="otlp",
        path="/v1/traces",
        headers=JSON | {"content-encoding": "gzip"},
        body=body,
        interactions=found.ids[1:],
        letters=(found.traces[0].hex(),),
    )


def native_interactions(found: Calls) -> Sent:
    rows = [
        {
            "id": f"native-{trace.hex()}",
            "deployment": UNWATCHED,
            "started_at": _rfc3339(found.at_ns),
            "request": {"model": "gpt-4", "messages": [{"role": "user", "content": "refund?"}]},
            "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "30 days."}]},
        }
        for trace in found.traces
    ]
    ids = tuple(row["id"] for row in rows)
    return Sent(
        to="api",
        path="/api/v1/interactions",
        headers=JSON,
        body=json.dumps(rows).encode(),
        interactions=tuple(map(str, ids)),
    )


def native_feedback(found: Calls) -> Sent:
    rows = [
        {
            "id": f"feedback-{trace.hex()}",
            "deployment": UNWATCHED,
            "at": _rfc3339(found.at_ns),
            "interaction_id": f"{trace.hex()}:{span_id(trace).hex()}",
            "kind": "thumb",
            "value": -1,
        }
        for trace in found.traces
    ]
    return Sent(
        to="api",
        path="/api/v1/feedback",
        headers=JSON,
        body=json.dumps(rows).encode(),
        feedback=tuple(str(row["id"]) for row in rows),
    )


def spans_over_grpc(found: Calls) -> Sent:
    """The same kind of spans as over HTTP, of other calls."""
    return replace(spans_without_texts(found), to="grpc", path=TRACES_METHOD, headers={})


ROUND: tuple[Callable[[Calls], Sent], ...] = (
    spans_without_texts,
    texts_of,
    native_feedback,
    native_interactions,
    spans_with_one_malformed,
    spans_over_grpc,
)
OF_ITS_OWN: dict[Callable[[Calls], Sent], str] = {  # kinds with calls that no other kind contains
    spans_with_one_malformed: "json",
    spans_over_grpc: "grpc",
}

_CALL = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4",
    "gen_ai.response.model": "gpt-4-0314",
    "driftd.deployment": UNWATCHED,
}
_ANSWER = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "30 days."}}


def _attributes(pairs: dict[str, Any]) -> list[KeyValue]:
    return [KeyValue(key=key, value=_value(value)) for key, value in pairs.items()]


def _value(value: Any) -> AnyValue:
    if isinstance(value, dict):
        return AnyValue(kvlist_value=KeyValueList(values=_attributes(value)))
    return AnyValue(int_value=value) if isinstance(value, int) else AnyValue(string_value=value)


def _rfc3339(at_ns: int) -> str:
    return datetime.fromtimestamp(at_ns / 1e9, UTC).isoformat()
