"""The compiled readers return the call of the general readers, and they read the calls of common clients."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any, Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from monitor.ingest.conventions.genai.convention import FIRST_TOKEN, TOOLS, GenAI
from monitor.ingest.conventions.genai.shared_fields import CONVERSATION, FIELDS, PROMPT, REASONS, USER, VERSION
from monitor.ingest.conventions.roles import CALL
from monitor.ingest.conventions.table import COMPILERS, CONVENTIONS, candidate_finder, recognized
from monitor.ingest.http.body import decompress
from monitor.ingest.otlp import json as otlp_json
from monitor.ingest.otlp import protobuf as otlp_protobuf
from monitor.ingest.otlp.decode import Decoded, decode
from monitor.ingest.otlp.wire import TRACES
from monitor.ingest.spans import OtlpRequest, OtlpSpan
from monitor.store.traffic.interaction_codec import interaction_columns
from tests.ingest.build import NOW, START_NS, TRACE, context, event, span
from tests.ingest.captures import CLIENTS, captures
from tests.ingest.odd_values import ANSWERED, ASKED, SOUND, any_value, request_of
from tests.ingest.otlp.test_decode import RULES
from tests.ingest.transports import as_json
from tests.properties import examples


class GeneralGenAI(GenAI):
    """The convention without its compiled reader."""


GENERAL: Final = [GeneralGenAI() if type(c) is GenAI else c for c in CONVENTIONS]
NOT_COMPILED: Final = {  # calls of GenAI clients that the general reader reads: they failed or have no finish reason
    "otel-genai-span": 8,
    "otel-openai-v2-legacy": 8,
    "otel-openai-v2-exp-event": 8,
    "otel-genai-nocontent": 2,
    "otel-js-openai": 1,
    "double-genai-plus-openinference": 1,
    "anthropic-sdk-native": 3,
    "otel-evaluation-events": 0,
}


@cache
def requests(client: str) -> tuple[OtlpRequest, ...]:
    found = [c for c in captures(client) if c.path.endswith("/traces")]
    return tuple(TRACES.readers[c.content_type](decompress(c.body, c.content_encoding, 1 << 24)) for c in found)


def genai_calls(spans: Iterable[OtlpSpan]) -> Iterator[tuple[OtlpSpan, bool]]:
    """Yield the calls of the GenAI convention, and whether its compiled reader reads them."""
    find = candidate_finder(tuple(CONVENTIONS))
    for one in spans:
        candidates = find(one.attributes)
        role, by = recognized(one, candidates)
        if role is CALL and type(by) is GenAI:
            compiled = candidates.compiled
            yield one, compiled is not None and compiled(one, context()) is not None


def rows(decoded: Decoded) -> tuple[Any, ...]:
    """Return the rows of the calls with their values and the order of their attributes, and the other records."""
    columns = {name: list(map(repr, values)) for name, values in interaction_columns(decoded.interactions).items()}
    return columns, decoded.bad, decoded.contents, decoded.links, decoded.runs, decoded.skipped, decoded.span_contexts


def assert_same(request: OtlpRequest) -> None:
    compiled = decode(request, rules=RULES, conventions=CONVENTIONS, now=NOW)
    general = decode(request, rules=RULES, conventions=GENERAL, now=NOW)
    assert rows(compiled) == rows(general)


def test_only_the_convention_itself_has_a_compiled_reader() -> None:
    assert GenAI in COMPILERS
    assert GeneralGenAI not in COMPILERS
    assert candidate_finder(tuple(GENERAL))(span().attributes).compiled is None


@pytest.mark.parametrize("client", CLIENTS)
def test_both_readers_return_the_same_rows_for_captured_requests(client: str) -> None:
    for request in requests(client):
        assert_same(request)


@pytest.mark.parametrize("client", NOT_COMPILED)
def test_the_compiled_reader_reads_the_ordinary_calls_of_a_client(client: str) -> None:
    calls = [found for request in requests(client) for found in genai_calls(request.spans)]
    general = [one for one, compiled in calls if not compiled]
    assert len(calls) > 2 * len(general)
    assert len(general) == NOT_COMPILED[client]


def test_every_client_with_genai_calls_is_listed() -> None:
    genai = Counter(client for client in CLIENTS for r in requests(client) for _ in genai_calls(r.spans))
    assert genai.keys() == NOT_COMPILED.keys()


def test_a_call_below_other_spans_is_read_by_the_compiled_reader_and_inherits_from_them() -> None:
    names = {"session.id": "s-1", "driftd.prompt.id": "support", "gen_ai.prompt.version": "7", "driftd.note": "n"}
    above = span({"gen_ai.operation.name": "invoke_agent", **names}, span_id="b" * 16)
    below = span({"user.id": "u-1"}, parent_span_id="b" * 16)
    assert [compiled for _, compiled in genai_calls([below])] == [True]
    [call] = decode(OtlpRequest(spans=(above, below)), rules=RULES, conventions=CONVENTIONS, now=NOW).interactions
    assert (call.conversation_id, call.user_id, call.prompt_id, call.prompt_version) == ("s-1", "u-1", "support", "7")
    assert call.attributes["driftd.note"] == "n"
    assert_same(OtlpRequest(spans=(above, below)))


@pytest.mark.parametrize(
    "other",
    [
        span({"error.type": "TimeoutError"}),
        span({"error.type": ""}),
        span(failed=True),
        span({"gen_ai.response.time_to_first_chunk": 1.7e308}),
        span({"gen_ai.response.finish_reasons": None}),
        span({"gen_ai.response.finish_reasons": None, "anthropic.message.stop_reason": "end_turn"}),
        span({"anthropic.message.stop_reason": "end_turn"}),
        span({"app.response": json.dumps({"model": "gpt-4-0613", "system_fingerprint": "fp_1", "choices": []})}),
        span(events=(event("gen_ai.user.message", content="refund?"),)),
        span({"gen_ai.tool.definitions": json.dumps([{"name": "find", "text": "é" * 2000}])}),
        span(start_ns=0),
        span(trace_id="0" * 32),
        span(end_ns=0),
    ],
)
def test_both_readers_return_the_same_row_for_a_call_that_is_not_ordinary(other: OtlpSpan) -> None:
    assert_same(OtlpRequest(spans=(other,)))


@pytest.mark.parametrize(
    "read", [otlp_protobuf.read_traces, lambda body: otlp_json.read_traces(as_json("traces", body))]
)
def test_both_readers_return_the_same_rows_for_unusual_values(read: Any) -> None:
    assert_same(read(request_of()))


TEXTS: Final = st.sampled_from(["", "gpt-4", "é", "x" * 2001, "12", "0.5", "stop", "error", "in_progress"])
USUAL: Final = TEXTS | st.integers(-1, 2**63 - 1) | st.floats() | st.booleans()
ODD: Final = st.lists(USUAL, max_size=2) | st.dictionaries(st.sampled_from(["a", "b"]), USUAL, max_size=1) | st.none()
CONTENT: Final = st.sampled_from(
    [
        json.dumps(ASKED),
        json.dumps(ANSWERED),
        json.dumps([{"role": "system", "parts": [{"type": "text", "content": "Be kind."}]}, *ASKED]),
        json.dumps(ANSWERED)[:-4],
        '[{"role":"assistant","parts":[{"type":"tool_call","id":"t","name":"find","arguments":{}}]}]',
        "plain text",
        "[REDACTED]",
    ]
)
NAMES: Final = (
    *(name for _, _, names in FIELDS for name in names), *CONVERSATION, *USER, *PROMPT, *VERSION, *FIRST_TOKEN,
    REASONS, "gen_ai.response.finish_reason", "anthropic.message.stop_reason", "gen_ai.request.stream", "error.type",
    "http.response.status_code", "app.topic", "driftd.run", "driftd.deployment", "app.response", TOOLS,
)  # fmt: skip
CONTENTS: Final = ("gen_ai.input.messages", "gen_ai.output.messages", "gen_ai.system_instructions", "app.answer.output")
CHANGES: Final = st.dictionaries(st.sampled_from(NAMES), USUAL | ODD, max_size=4)
SPANS: Final = st.fixed_dictionaries(
    {
        "changes": CHANGES,
        "contents": st.dictionaries(st.sampled_from(CONTENTS), CONTENT, max_size=2),
        "removed": st.sets(st.sampled_from(sorted(SOUND)), max_size=6),
        "repeated": st.lists(st.sampled_from(sorted(SOUND)), max_size=1),
        "order": st.randoms(use_true_random=False),
        "parent": st.sampled_from([b"", bytes([1] * 8), bytes([2] * 8), bytes([9] * 8)]),
        "failed": st.sampled_from([False] * 5 + [True]),
        "event": st.sampled_from([None] * 5 + ["exception", "gen_ai.choice", "other"]),
        "took_ns": st.sampled_from([1_500_000_000, -1, 0]),
        "start_ns": st.sampled_from([START_NS] * 5 + [0]),
    }
)


def encoded(changes: list[dict[str, Any]]) -> bytes:
    """Return the spans in one trace, numbered from one, as protobuf."""
    request = ExportTraceServiceRequest()
    group = request.resource_spans.add()
    group.resource.attributes.add(key="service.name", value=any_value("support-bot"))
    for number, change in enumerate(changes, 1):
        group.scope_spans.add().spans.append(_span(number, change))
    body: bytes = request.SerializeToString()
    return body


def _span(number: int, change: dict[str, Any]) -> Span:
    start_ns = change["start_ns"]
    built = Span(
        trace_id=bytes.fromhex(TRACE),
        span_id=bytes([number] * 8),
        parent_span_id=change["parent"],
        name="chat",
        status=Status(code=Status.STATUS_CODE_ERROR) if change["failed"] else None,
        start_time_unix_nano=start_ns,
        end_time_unix_nano=max(0, start_ns + change["took_ns"]),
    )
    if change["event"]:
        built.events.add(name=change["event"], time_unix_nano=start_ns + 1)
    kept = {name: value for name, value in SOUND.items() if name not in change["removed"]}
    pairs = [*(kept | change["changes"] | change["contents"]).items()]
    pairs += [(name, SOUND[name]) for name in change["repeated"]]
    change["order"].shuffle(pairs)
    for name, value in pairs:
        pair = built.attributes.add(key=name)
        if value is not None:
            pair.value.CopyFrom(any_value(value))
    return built


@given(st.lists(SPANS, min_size=1, max_size=3))
@settings(max_examples=examples(400), deadline=None)
def test_both_readers_return_the_same_rows_for_any_span(changes: list[dict[str, Any]]) -> None:
    assert_same(otlp_protobuf.read_traces(encoded(changes)))
