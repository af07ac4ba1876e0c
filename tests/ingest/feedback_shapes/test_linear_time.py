"""Every parser takes time proportional to its input, however nested, wide or long the input is."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from monitor.config.kafka import KafkaTopicConfig
from monitor.errors import MalformedRecord
from monitor.ingest.dead_letter import as_bytes
from monitor.ingest.feedback_shapes.annotation import to_feedback
from monitor.ingest.feedback_shapes.langfuse import of_score
from monitor.ingest.feedback_shapes.mlflow import of_assessment
from monitor.ingest.feedback_shapes.phoenix import of_annotation, of_note
from monitor.ingest.files.reader import PieceReader
from monitor.ingest.json_text import read_json
from monitor.ingest.kafka.records import RecordBatch, RecordReader
from monitor.ingest.native.limits import hold
from monitor.ingest.otlp import protobuf as otlp_protobuf
from monitor.ingest.spans import OtlpRequest
from tests.growth import grows_linearly
from tests.ingest import build
from tests.ingest.hostile_shapes import TEXTS, Made, nested_anyvalue
from tests.ingest.requests import (
    GENAI,
    LIMITS,
    as_protobuf,
    attribute,
    decoded,
    event,
    logs,
    otlp_logs,
    otlp_traces,
    span,
    step,
    traces,
)

SIZE = 1_500  # characters of the small input; the large one has eight times as many
Work = Callable[[bytes], object]

# Attributes that select the convention, and all other attributes whose text is parsed.
READ_APART: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "genai": (
        GENAI,
        (
            "gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "gen_ai.response.model",
            "gen_ai.response.finish_reasons", "gen_ai.conversation.id", "user.id", "error.type", "x",
            "gen_ai.retrieval.documents", "gen_ai.usage.input_tokens",
        ),
    ),
    "openinference": (
        {"openinference.span.kind": "LLM"},
        ("input.value", "output.value", "llm.invocation_parameters", "llm.input_messages.0.message.content"),
    ),
    "mlflow": (
        {"mlflow.spanType": '"CHAT_MODEL"'},
        (
            "mlflow.spanInputs", "mlflow.spanOutputs", "mlflow.chat.tokenUsage", "mlflow.llm.cost",
            "mlflow.traceTag.mlflow.linkedPrompts", "mlflow.trace.session",
        ),
    ),
    "langfuse": (
        {"langfuse.observation.type": "generation"},
        (
            "langfuse.observation.input", "langfuse.observation.output", "langfuse.observation.model.parameters",
            "langfuse.observation.usage_details", "langfuse.observation.metadata.finish_reason",
        ),
    ),
    "pydantic-ai": (GENAI | {"logfire.msg": "m"}, ("events", "request_data", "response_data")),
    "traceloop": (
        GENAI | {"llm.request.type": "chat", "gen_ai.prompt.0.role": "user"},
        ("gen_ai.prompt.0.content", "gen_ai.completion.0.content", "gen_ai.prompt.0.tool_calls"),
    ),
    "langsmith": (
        {"langsmith.span.kind": "llm"},
        ("gen_ai.prompt", "gen_ai.completion", "langsmith.usage_metadata", "gen_ai.usage.input_token_details"),
    ),
    "vercel": (
        GENAI | {"ai.operationId": "ai.generateText.doGenerate"},
        ("ai.prompt.messages", "ai.response.toolCalls", "ai.response.text"),
    ),
    "litellm": (GENAI | {"litellm.call_id": "c"}, ("gen_ai.input.messages", "metadata.usage_object")),
    "retrieval": ({"mlflow.spanType": "RETRIEVER"}, ("mlflow.spanOutputs",)),
}  # fmt: skip


@pytest.mark.parametrize("convention", READ_APART)
def test_texts_in_attributes(convention: str) -> None:
    """Each of the two spans has the text. The span without a time is rejected, so its attributes go to
    the dead letter.
    """
    own, keys = READ_APART[convention]
    for text in TEXTS.values():

        def made(size: int, text: Made = text) -> bytes:
            attributes = own | dict.fromkeys(keys, text(size))
            return traces(span(attributes), span(attributes, spanId="e" * 16, startTimeUnixNano="0"))

        grows_linearly(made, otlp_traces, size=SIZE)


@pytest.mark.parametrize("kind", ["kvlistValue", "arrayValue"])
@pytest.mark.parametrize("start", ["x", "0", str(build.START_NS)], ids=["malformed", "refused", "read"])
@pytest.mark.timeout(60)
def test_nested_values_in_otlp_json(kind: str, start: str) -> None:
    """If every level doubled the time, the large input would take 2^40 times as long."""

    def made(depth: int) -> bytes:
        body = traces(span(GENAI | {"x": {"deep": 1}}, startTimeUnixNano=start))
        return body.replace(b'{"deep": 1}', nested_anyvalue(kind, depth).encode())

    for small in (3, 12):  # within the limits, and beyond
        grows_linearly(made, otlp_traces, size=small)
    body = made(100)
    assert len(body) < 8_000
    assert all(len(letter.raw) < 2 * len(body) for letter in otlp_traces(body).dead_letters)


PROTOBUF: dict[str, tuple[Callable[[bytes], OtlpRequest], Callable[[Mapping[str, Any]], bytes]]] = {
    "traces": (otlp_protobuf.read_traces, lambda attributes: traces(span(GENAI | dict(attributes)))),
    "logs": (otlp_protobuf.read_logs, lambda attributes: logs(event(attributes))),
}


def packed(
    signal: str, pack: Callable[[Mapping[str, Any]], bytes], attributes: Callable[[int], dict[str, Any]]
) -> Callable[[int], bytes]:
    return lambda size: as_protobuf(signal, pack(attributes(size)))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("signal", PROTOBUF)
def test_nested_wide_and_long_values_in_protobuf(signal: str) -> None:
    read, pack = PROTOBUF[signal]
    made: dict[str, Callable[[int], dict[str, Any]]] = {
        "nested": lambda size: {"x": json.loads(nested_anyvalue("kvlistValue", size // 2000))},
        "wide": lambda size: {f"k{i}": "v" for i in range(size // 10)},
        "list": lambda size: {"x": {"arrayValue": {"values": [{"intValue": str(i)} for i in range(size // 10)]}}},
        "long": lambda size: {"x": "a@b.co " * size},
    }
    for attributes in made.values():
        grows_linearly(
            packed(signal, pack, attributes),
            lambda body: decoded(read(body)),
            size=4 * SIZE,
        )


def native(body: Any) -> bytes:
    return json.dumps(build.native(attributes={"x": body})).encode()


def lines(raw: bytes) -> object:
    piece = PieceReader(normalizer=step(), limits=LIMITS, now=build.NOW, what="line")
    piece.add(1, raw)
    return piece.batch()


def kafka(**topic: str) -> Work:
    reader = RecordReader(KafkaTopicConfig.model_validate(topic), step(), limits=LIMITS)

    def read(value: bytes) -> object:
        gathered = RecordBatch(normalizer=step())
        reader.read(value, "here", gathered, build.NOW)
        return gathered.batch(())

    return read


def feedback(shape: Callable[..., Any], *of: str) -> Work:
    """Return what the endpoints of other products do with one record."""

    def read(body: bytes) -> object:
        try:
            record = read_json(body, "the body")
            held = hold(record, LIMITS)[0] if isinstance(record, dict) else record
            said = to_feedback(shape(held, *of, build.NOW), {}, deployment="bot", received_at=build.NOW)
            return list(step().feedback([said]))
        except MalformedRecord as error:
            return step().dead_letter(
                source="x", code=error.code, reason=str(error), raw=as_bytes(json.loads(body)), now=build.NOW
            )

    return read


SCORE = {"traceId": build.TRACE, "name": "n", "value": 1}
ANNOTATION = {"span_id": build.SPAN, "name": "n", "result": {"score": 1}}
# The parser, and the function that gives it the hostile text.
PARSERS: dict[str, tuple[Work, Callable[[str], bytes]]] = {
    "native": (lines, native),
    "native, refused": (lines, lambda text: native(text)[:-1] + b',"unknown":1}'),
    "native, messages": (
        lines,
        lambda text: json.dumps(build.native(request={"messages": [{"role": "user", "content": text}]})).encode(),
    ),
    "native, model": (
        lines,
        lambda text: json.dumps(
            build.native(request={"model": text}, usage={"input_tokens": 1, "output_tokens": 1})
        ).encode(),
    ),
    "native, prompt": (
        lines,
        lambda text: json.dumps(build.native(request={"messages": [{"role": "system", "content": text}]})).encode(),
    ),
    "native, bytes": (lines, lambda text: text.encode()),
    "kafka, native": (kafka(), lambda text: text.encode()),
    "kafka, an array": (kafka(), lambda text: f"[{text}]".encode()),
    "kafka, otlp_json": (kafka(format="otlp_json", signal="traces"), lambda text: text.encode()),
    "kafka, otlp_proto": (kafka(format="otlp_proto", signal="traces"), lambda text: text.encode()),
    "otlp logs": (
        otlp_logs,
        lambda text: logs(event({"message": text, "x": text})),
    ),
    "otlp evaluation": (
        otlp_logs,
        lambda text: logs(
            {
                "traceId": build.TRACE,
                "eventName": "gen_ai.evaluation.result",
                "attributes": [attribute("gen_ai.evaluation.explanation", text)],
            }
        ),
    ),
    "openinference annotation": (
        otlp_traces,
        lambda text: traces(
            span({"annotations.0.annotation.name": "n", "annotations.0.annotation.metadata": text, f"a.{text}": "x"})
        ),
    ),
    "langfuse": (feedback(of_score), lambda text: json.dumps(SCORE | {"comment": text, "metadata": text}).encode()),
    "langfuse, refused": (feedback(of_score), lambda text: json.dumps(SCORE | {"value": None, "x": text}).encode()),
    "phoenix": (
        feedback(of_annotation, "span_id"),
        lambda text: json.dumps(ANNOTATION | {"metadata": {"x": text}, "identifier": text}).encode(),
    ),
    "phoenix, note": (
        feedback(of_note, "span_id"),
        lambda text: json.dumps({"span_id": build.SPAN, "note": text}).encode(),
    ),
    "mlflow": (
        feedback(of_assessment, build.TRACE),
        lambda text: json.dumps(
            {"assessment_name": "n", "expectation": {"serialized_value": {"value": text}}, "rationale": text}
        ).encode(),
    ),
    "dead letter": (step().redactor.raw, lambda text: text.encode()),
    "dead letter, JSON": (step().redactor.raw, lambda text: json.dumps({"a": [text]}).encode()),
    "dead letter, JSON in JSON": (
        step().redactor.raw,
        lambda text: json.dumps({"a": json.dumps([text])}).encode(),
    ),
    "dead letter, whole": (
        lambda raw: step().dead_letter(source="x", code="c", reason=raw.decode(), raw=raw, now=build.NOW),
        lambda text: json.dumps(json.dumps([text])).encode(),
    ),
}


def in_place(given: Callable[[str], bytes], text: Made) -> Callable[[int], bytes]:
    return lambda size: given(text(size))


@pytest.mark.parametrize("parser", PARSERS)
def test_every_parser(parser: str) -> None:
    work, given = PARSERS[parser]
    for text in TEXTS.values():
        grows_linearly(in_place(given, text), work, size=SIZE)


@pytest.mark.parametrize("name", ["many '[],'", "many keys", "lists in lists", "many messages"])
def test_structures_of_native_records(name: str) -> None:
    """The text is JSON inside the record where it is valid JSON."""

    def made(size: int) -> bytes:
        return json.dumps(build.native(attributes={"x": "X"})).replace('"X"', TEXTS[name](size)).encode()

    grows_linearly(made, lines, size=SIZE)


def test_the_shapes_grow_as_declared() -> None:
    made: Made
    for name, made in TEXTS.items():
        assert 0.5 < len(made(8_000)) / 8_000 < 2, name
