"""Build requests as exporters send them. They are encoded once; each span gets its own ids and time in place before
sending.
"""

import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from bench.ingest_study.words import facts, prose

SYSTEM, QUESTION, EARLIER, ANSWER = 400, 300, 700, 600  # characters: 2,000 for each span
SERVICE = "bench"
CUSTOMERS = 5_000
MODEL = "gpt-5-mini-2026-08-07"
_LETTERS = bytes.maketrans(b"0123456789abcdef", b"abcdefghijklmnop")  # digits could look like a card number
_ODD, _ALL = 0x9E3779B97F4A7C15, 2**64 - 1
_MARK = struct.pack("<Q", 0x6D61726B_6D61726B)
_TRACE_TAG, _SPAN_TAG, _TICKET, _RESPONSE = b"\x0a\x10", b"\x12\x08", b"#aaaaaaaaaaaaaaaa", b"chatcmpl-aaaaaaaaaaaaaaaa"


@dataclass(slots=True)
class Body:
    """One encoded request. `sent(number)` returns it with the ids for that number; different numbers share no id."""

    bytes_: bytearray
    traces: Sequence[int]  # the offsets of the 16 bytes of each span's trace id
    tickets: Sequence[int]  # the offsets of the 16 letters that make each question unique
    responses: Sequence[int]  # the offsets of the 16 letters that make each response id unique
    times: Sequence[int]  # the offsets of the 8 bytes of start and end

    @property
    def spans(self) -> int:
        return len(self.traces)

    def sent(self, first: int, at_ns: int) -> bytes:
        """Return the request with spans numbered from `first` on, all starting at `at_ns`."""
        buffer, start, end = self.bytes_, struct.pack("<Q", at_ns), struct.pack("<Q", at_ns + 10**9)
        places = zip(self.traces, self.tickets, self.responses, strict=True)
        for i, (trace, ticket, response) in enumerate(places, first + 1):
            number = (i * _ODD & _ALL).to_bytes(8)  # unique for each i, and without a visible pattern
            buffer[trace : trace + 8] = number[::-1]
            buffer[trace + 8 : trace + 16] = number
            buffer[trace + 18 : trace + 26] = number
            buffer[ticket : ticket + 16] = buffer[response : response + 16] = number.hex().encode().translate(_LETTERS)
        for at in self.times[::2]:
            buffer[at : at + 8] = start
        for at in self.times[1::2]:
            buffer[at : at + 8] = end
        return bytes(buffer)


def body(spans: int, seed: int) -> Body:
    """Return one request with this number of model calls, as an SDK with the GenAI conventions of 2026 exports them."""
    rng = Random(seed)
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.extend(_attributes(_RESOURCE))
    scope = group.scope_spans.add()
    scope.scope.name, scope.scope.version = "opentelemetry.instrumentation.genai.openai", "1.0.0"
    for _ in range(spans):
        scope.spans.append(_span(rng))
    return _with_places(bytearray(request.SerializeToString()), spans)


def _span(rng: Random) -> Span:
    mark = int.from_bytes(_MARK, "little")
    span = Span(trace_id=_MARK * 2, span_id=_MARK, name=f"chat {MODEL}", kind=Span.SPAN_KIND_CLIENT)
    span.start_time_unix_nano = span.end_time_unix_nano = mark
    span.attributes.extend(_attributes(_call(rng)))
    return span


def _call(rng: Random) -> dict[str, object]:
    opening = f"{_TICKET.decode()} {facts(rng)}"
    question = opening + prose(rng, QUESTION - len(opening))
    inputs = [
        _message("user", prose(rng, EARLIER // 3)),
        _message("assistant", prose(rng, EARLIER - EARLIER // 3)),
        _message("user", question),
    ]
    return {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-5-mini",
        "gen_ai.response.model": MODEL,
        "gen_ai.response.id": _RESPONSE.decode(),
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.conversation.id": rng.randbytes(8).hex(),
        "user.id": f"customer-{rng.randrange(CUSTOMERS)}",
        "app.release": "2026.11.2-17",  # a calendar version with its build: digits and dots, like a phone number
        "app.requested_on": f"2026-11-{rng.randrange(1, 29):02}",
        "gen_ai.request.temperature": 0.2,
        "gen_ai.request.max_tokens": 800,
        "gen_ai.usage.input_tokens": rng.randrange(300, 500),
        "gen_ai.usage.output_tokens": rng.randrange(100, 200),
        "gen_ai.system_instructions": _json([{"type": "text", "content": prose(Random(0), SYSTEM)}]),
        "gen_ai.input.messages": _json(inputs),
        "gen_ai.output.messages": _json([_message("assistant", prose(rng, ANSWER)) | {"finish_reason": "stop"}]),
        "server.address": "api.openai.com",
        "server.port": 443,
    }


def _message(role: str, text: str) -> dict[str, object]:
    return {"role": role, "parts": [{"type": "text", "content": text}]}


def _json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


_RESOURCE: dict[str, object] = {
    "service.name": SERVICE,
    "service.version": "2026.11.2",  # a calendar version: digits and dots, like a phone number
    "deployment.environment.name": "production",
    "telemetry.sdk.language": "python",
    "telemetry.sdk.name": "opentelemetry",
    "telemetry.sdk.version": "1.45.2",
}


def _attributes(values: dict[str, object]) -> list[KeyValue]:
    return [KeyValue(key=key, value=_value(value)) for key, value in values.items()]


def _value(value: object) -> AnyValue:
    match value:
        case str():
            return AnyValue(string_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case list():
            return AnyValue(array_value=ArrayValue(values=[_value(item) for item in value]))
    raise TypeError(f"{value!r} has no place in an attribute")


def _with_places(encoded: bytearray, spans: int) -> Body:
    traces = [at + 2 for at in _all(encoded, _TRACE_TAG + _MARK * 2 + _SPAN_TAG + _MARK)]
    tickets = [at + 1 for at in _all(encoded, _TICKET)]
    responses = [at + len(b"chatcmpl-") for at in _all(encoded, _RESPONSE)]
    start, end = b"\x39" + _MARK, b"\x41" + _MARK  # the tags of the two times, each of eight bytes
    times = [at + 1 for pair in zip(_all(encoded, start), _all(encoded, end), strict=True) for at in pair]
    if {len(traces), len(tickets), len(responses), len(times) // 2} != {spans}:
        found = f"{len(traces)} ids, {len(tickets)} tickets, {len(responses)} responses, {len(times)} times"
        raise ValueError(f"of {spans} spans {found} are found")
    return Body(bytes_=encoded, traces=traces, tickets=tickets, responses=responses, times=times)


def _all(encoded: bytearray, what: bytes) -> list[int]:
    found: list[int] = []
    at = encoded.find(what)
    while at >= 0:
        found.append(at)
        at = encoded.find(what, at + 1)
    return found
