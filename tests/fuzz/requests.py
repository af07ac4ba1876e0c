"""Requests of a hostile or broken sender, each with a valid record that must be stored."""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

JSON = {"content-type": "application/json"}
PROTOBUF = {"content-type": "application/x-protobuf"}
START_NS = 1_795_215_911_000_000_000
TRACES, LOGS = "/v1/traces", "/v1/logs"
INTERACTIONS, FEEDBACK = "/api/v1/interactions", "/api/v1/feedback"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A request. `lands` is the id of its valid interaction, which must be stored when the answer is 200."""

    name: str
    path: str
    headers: dict[str, str]
    body: bytes
    lands: str | None = None
    refused: bool = False  # the whole document may be rejected; then nothing of it is stored

    @property
    def to(self) -> str:
        return "otlp" if self.path.startswith("/v1/") else "api"


def trace_of(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()[:16]


def span_key(name: str) -> str:
    trace = trace_of(name)
    return f"{trace.hex()}:{trace[:8].hex()}"


def json_span(key: str, /, *attributes: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """Return a valid chat call with additional attributes and changes."""
    trace = trace_of(key)
    return {
        "traceId": trace.hex(),
        "spanId": trace[:8].hex(),
        "name": "chat",
        "startTimeUnixNano": str(START_NS),
        "endTimeUnixNano": str(START_NS + 10**9),
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.request.model", "value": {"stringValue": "gpt-4"}},
            *attributes,
        ],
    } | changes


def protobuf_span(name: str, *attributes: KeyValue) -> Span:
    trace = trace_of(name)
    model = KeyValue(key="gen_ai.request.model", value=AnyValue(string_value="gpt-4"))
    return Span(
        trace_id=trace,
        span_id=trace[:8],
        name="chat",
        start_time_unix_nano=START_NS,
        end_time_unix_nano=START_NS + 10**9,
        attributes=[model, *attributes],
    )


def native(key: str, /, **changes: Any) -> dict[str, Any]:
    return {
        "id": key,
        "started_at": "2026-11-21T02:00:00Z",
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": "refund?"}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "30 days."}]},
    } | changes


def traces_json(name: str, *bad: Any, **options: Any) -> Request:
    """Return the bad spans, then a valid one."""
    return traces_text(name, ",".join(json.dumps(span) for span in bad), **options)


def traces_text(name: str, bad: str, **options: Any) -> Request:
    """Return bad spans as JSON text that `json.dumps` cannot write, then a valid one."""
    good = json.dumps(json_span(name))
    body = '{"resourceSpans":[{"scopeSpans":[{"spans":[' + f"{bad},{good}" + "]}]}]}"
    return Request(
        name=name,
        path=TRACES,
        headers=JSON,
        body=body.encode("utf-8", "surrogatepass"),
        lands=span_key(name),
        **options,
    )


def traces_protobuf(name: str, *bad: bytes, **options: Any) -> Request:
    """Return the bytes of the bad spans, then a valid one."""
    spans = b"".join(field(2, span) for span in (*bad, protobuf_span(name).SerializeToString()))
    body = field(1, field(2, spans))
    return Request(name=name, path=TRACES, headers=PROTOBUF, body=body, lands=span_key(name), **options)


def natives(name: str, *bad: Any, **options: Any) -> Request:
    return natives_text(name, ",".join(json.dumps(record) for record in bad), **options)


def natives_text(name: str, bad: str, **options: Any) -> Request:
    body = f"[{bad},{json.dumps(native(name))}]"
    return Request(
        name=name,
        path=INTERACTIONS,
        headers=JSON,
        body=body.encode("utf-8", "surrogatepass"),
        lands=name,
        **options,
    )


def field(number: int, content: bytes) -> bytes:
    """Return a length-delimited protobuf field."""
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def text_attribute(key: str, text: str) -> dict[str, Any]:
    return {"key": key, "value": {"stringValue": text}}
