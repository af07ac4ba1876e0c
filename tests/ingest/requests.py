"""OTLP requests for decoding tests, and their decoded form."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from google.protobuf.json_format import ParseDict  # type: ignore[import-untyped]  # protobuf ships no types

from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.intake import Batch
from monitor.ingest.limits import Limits
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.otlp import json as otlp_json
from monitor.ingest.otlp.limits import decode_with_limits
from monitor.ingest.spans import OtlpRequest
from tests.ingest import build
from tests.ingest.redact.test_lone_surrogates import strict
from tests.ingest.transports import MESSAGES, to_base64, with_ids

GENAI: dict[str, Any] = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "m"}
LIMITS = Limits()
OF_SERVICE = {"resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "bot"}}]}}


@cache
def step() -> Normalizer:
    return strict()


def decoded(request: OtlpRequest) -> Batch:
    """Return the batch that the receiver makes from a request."""
    read = decode_with_limits(request, LIMITS, rules=step().rules, conventions=CONVENTIONS, now=build.NOW)
    return step().otlp(read, build.NOW)


def attribute(key: str, value: Any) -> dict[str, Any]:
    return {"key": key, "value": value if isinstance(value, dict) else {"stringValue": value}}


def span(attributes: Mapping[str, Any], **fields: Any) -> dict[str, Any]:
    return {
        "traceId": build.TRACE,
        "spanId": build.SPAN,
        "name": "s",
        "startTimeUnixNano": str(build.START_NS),
        "endTimeUnixNano": str(build.START_NS + 10**9),
        "attributes": [attribute(key, value) for key, value in attributes.items()],
    } | fields


def traces(*spans: dict[str, Any], resource: Mapping[str, Any] | None = None) -> bytes:
    of = {"resource": {"attributes": [attribute(k, v) for k, v in resource.items()]}} if resource else OF_SERVICE
    return json.dumps({"resourceSpans": [of | {"scopeSpans": [{"spans": list(spans)}]}]}).encode()


def logs(*records: dict[str, Any]) -> bytes:
    return json.dumps({"resourceLogs": [OF_SERVICE | {"scopeLogs": [{"logRecords": list(records)}]}]}).encode()


def as_protobuf(signal: str, body: bytes) -> bytes:
    packed: bytes = ParseDict(with_ids(json.loads(body), to_base64), MESSAGES[signal]()).SerializeToString()
    return packed


def otlp_traces(body: bytes) -> Batch:
    return decoded(otlp_json.read_traces(body))


def otlp_logs(body: bytes) -> Batch:
    return decoded(otlp_json.read_logs(body))


def event(attributes: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "traceId": build.TRACE,
        "spanId": build.SPAN,
        "eventName": "gen_ai.choice",
        "attributes": [attribute(key, value) for key, value in attributes.items()],
    }
