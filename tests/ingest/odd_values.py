"""Forty unusual values of optional attributes, each on its own span of the GenAI conventions."""

import json
from dataclasses import dataclass
from typing import Any, Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from monitor.domain.interaction import ChatMessage, ContentState, FinishReason, Status
from tests.ingest.build import START_NS, TRACE, user

NAN, INFINITY = float("nan"), float("inf")
ASKED = [{"role": "user", "parts": [{"type": "text", "content": "refund?"}]}]
ANSWERED = [{"role": "assistant", "parts": [{"type": "text", "content": "30 days."}], "finish_reason": "stop"}]
SOUND: Final[dict[str, Any]] = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4",
    "gen_ai.response.model": "gpt-4-0314",
    "gen_ai.response.id": "resp-1",
    "gen_ai.response.finish_reasons": ["stop"],
    "gen_ai.request.temperature": 0.5,
    "gen_ai.request.top_p": 0.9,
    "gen_ai.request.max_tokens": 100,
    "gen_ai.request.seed": 3,
    "gen_ai.usage.input_tokens": 9,
    "gen_ai.usage.output_tokens": 4,
    "gen_ai.usage.cache_read.input_tokens": 2,
    "gen_ai.usage.reasoning.output_tokens": 1,
    "gen_ai.response.time_to_first_chunk": 0.25,
    "gen_ai.conversation.id": "c-1",
    "gen_ai.prompt.name": "support",
    "gen_ai.prompt.version": "7",
    "user.id": "u-1",
    "openai.response.system_fingerprint": "fp_1",
    "gen_ai.input.messages": json.dumps(ASKED),
    "gen_ai.output.messages": json.dumps(ANSWERED),
    "gen_ai.system_instructions": "Be kind.",
}


@dataclass(frozen=True)
class Odd:
    """One value and the fields that follow from it. `unread`: the value has no meaning, so the field is absent."""

    name: str
    value: Any
    fields: dict[str, Any]
    unread: bool = True

    @property
    def label(self) -> str:
        return f"{self.name}={self.value!r}"


def absent(name: str, value: Any, *fields: str) -> Odd:
    return Odd(name, value, dict.fromkeys(fields))


def read_as(name: str, value: Any, **fields: Any) -> Odd:
    return Odd(name, value, fields, unread=False)


USER = ("user_id", "user_source")
CONVERSATION = ("conversation_id", "conversation_source")
PLAIN_ANSWER = (ChatMessage(role="assistant", content="30 days."),)
BY_MESSAGE = {"finish_reason": FinishReason.STOP, "finish_reason_raw": "stop"}
ODD: Final = (
    absent("gen_ai.request.max_tokens", -1, "max_tokens"),
    read_as("gen_ai.request.max_tokens", 256.0, max_tokens=256),
    read_as("gen_ai.request.max_tokens", "256", max_tokens=256),
    absent("gen_ai.request.max_tokens", "unlimited", "max_tokens"),
    absent("gen_ai.request.max_tokens", NAN, "max_tokens"),
    absent("gen_ai.request.max_tokens", [256], "max_tokens"),
    absent("gen_ai.request.max_tokens", True, "max_tokens"),
    absent("gen_ai.request.max_tokens", 0.5, "max_tokens"),
    absent("gen_ai.usage.input_tokens", -1, "input_tokens"),
    absent("gen_ai.usage.input_tokens", "n/a", "input_tokens"),
    read_as("gen_ai.usage.input_tokens", "12", input_tokens=12),
    absent("gen_ai.usage.output_tokens", 3.7, "output_tokens"),
    absent("gen_ai.usage.output_tokens", {"total": 3}, "output_tokens"),
    read_as("gen_ai.usage.output_tokens", 12.0, output_tokens=12),
    absent("gen_ai.usage.cache_read.input_tokens", -5, "cached_input_tokens"),
    absent("gen_ai.usage.reasoning.output_tokens", "none", "reasoning_tokens"),
    read_as("gen_ai.request.temperature", "0.2", temperature=0.2),
    absent("gen_ai.request.temperature", "default", "temperature"),
    absent("gen_ai.request.temperature", NAN, "temperature"),
    absent("gen_ai.request.temperature", [0.2], "temperature"),
    absent("gen_ai.request.top_p", INFINITY, "top_p"),
    absent("gen_ai.request.top_p", "1,0", "top_p"),
    absent("gen_ai.request.top_p", True, "top_p"),
    absent("gen_ai.request.seed", 1.5, "seed"),
    absent("gen_ai.request.seed", "random", "seed"),
    read_as("gen_ai.request.seed", "-7", seed=-7),
    absent("gen_ai.response.time_to_first_chunk", "fast", "ttft_ms"),
    absent("gen_ai.response.id", ["resp-1"], "response_id"),
    read_as("gen_ai.response.id", 7, response_id="7"),
    absent("gen_ai.response.model", {"name": "gpt-4-0314"}, "response_model"),
    absent("gen_ai.request.model", ["gpt-4"], "request_model"),
    absent("openai.response.system_fingerprint", ["fp_1"], "system_fingerprint"),
    Odd("gen_ai.response.finish_reasons", 7, BY_MESSAGE),
    Odd("gen_ai.response.finish_reasons", {"0": "stop"}, BY_MESSAGE),
    absent("gen_ai.conversation.id", ["c-1"], *CONVERSATION),
    read_as("gen_ai.conversation.id", 7.5, conversation_id="7.5"),
    absent("user.id", {"name": "Nora"}, *USER),
    read_as("gen_ai.input.messages", "refund?", input_messages=(user("refund?"),)),
    read_as("gen_ai.output.messages", ["30 days."], output_messages=PLAIN_ANSWER),
    read_as("gen_ai.system_instructions", 7, system_prompt="7"),
)
COMPLETE: Final = {"status": Status.OK, "content_state": ContentState.FULL}


def request_of(cases: tuple[Odd, ...] = ODD) -> bytes:
    """Return an OTLP request in protobuf: the correct span, and one span for each case."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.add(key="service.name", value=AnyValue(string_value="support-bot"))
    spans = group.scope_spans.add().spans
    spans.append(span_of({}, 0))
    for number, case in enumerate(cases, 1):
        spans.append(span_of({case.name: case.value}, number))
    body: bytes = request.SerializeToString()
    return body


def id_of(number: int) -> str:
    return f"{TRACE[:-4]}{number + 1:04x}:{number + 1:016x}"


def span_of(odd: dict[str, Any], number: int) -> Span:
    """Return the span in its own trace, so that only its number distinguishes it."""
    trace_id, span_id = id_of(number).split(":")
    at = START_NS + number * 60_000_000_000
    built = Span(
        trace_id=bytes.fromhex(trace_id),
        span_id=bytes.fromhex(span_id),
        name="chat gpt-4",
        start_time_unix_nano=at,
        end_time_unix_nano=at + 1_500_000_000,
    )
    for name, value in (SOUND | odd).items():
        built.attributes.add(key=name, value=any_value(value))
    return built


def any_value(value: Any) -> AnyValue:
    """Return the value as an SDK encodes it."""
    if isinstance(value, bool):
        return AnyValue(bool_value=value)
    if isinstance(value, int):
        return AnyValue(int_value=value)
    if isinstance(value, float):
        return AnyValue(double_value=value)
    if isinstance(value, str):
        return AnyValue(string_value=value)
    built = AnyValue()
    if isinstance(value, list):
        built.array_value.values.extend(map(any_value, value))
        built.array_value.SetInParent()
    else:
        for key, inner in value.items():
            built.kvlist_value.values.add(key=key, value=any_value(inner))
        built.kvlist_value.SetInParent()
    return built
