"""The role of a span, the convention that recognizes it, and the fields that others fill."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.interaction import ContentState, FinishReason, Status
from monitor.ingest.conventions.roles import Role
from monitor.ingest.conventions.table import CONVENTIONS, candidate_finder, recognized
from monitor.ingest.otlp import json as otlp_json
from monitor.ingest.otlp import protobuf as otlp_protobuf
from tests.ingest.build import span
from tests.ingest.captures import CLIENTS, captures
from tests.ingest.recognize import call_of, convention_of, is_call, recognize
from tests.properties import examples

MODEL = {"gen_ai.request.model": "gpt-4o-mini"}
ANSWER = json.dumps([{"role": "assistant", "parts": [{"type": "text", "content": "30 days"}], "finish_reason": "stop"}])
ASKED = {"llm.input_messages.0.message.role": "user", "llm.input_messages.0.message.content": "refund?"}
OPENINFERENCE = {"openinference.span.kind": "LLM", "llm.model_name": "gpt-4o-mini", **ASKED}
NO_CALLS: list[tuple[dict[str, Any], Role]] = [
    ({"openinference.span.kind": "CHAIN"}, Role.STEP),
    ({"openinference.span.kind": "PROMPT"}, Role.STEP),
    ({"openinference.span.kind": "RETRIEVER"}, Role.TOOL),
    ({"langfuse.observation.type": "chain"}, Role.STEP),
    ({"langfuse.observation.type": "tool"}, Role.TOOL),
    ({"ai.operationId": "ai.generateText"}, Role.STEP),
    ({"ai.operationId": "ai.toolCall"}, Role.TOOL),
    ({"mlflow.spanType": '"PARSER"'}, Role.STEP),
    ({"mlflow.spanType": "RERANKER"}, Role.TOOL),
    ({"langsmith.span.kind": "prompt"}, Role.STEP),
    ({"litellm.call_id": "c", "llm.request.type": "aembedding"}, Role.TOOL),
    ({"logfire.msg": "m", "gen_ai.tool.name": "search"}, Role.TOOL),
    ({"traceloop.span.kind": "task"}, Role.STEP),
    ({"traceloop.span.kind": "tool"}, Role.TOOL),
]


def attributes(attributes: dict[str, Any]) -> Any:
    """Return a span with only these attributes."""
    return span(dict.fromkeys(span().attributes) | attributes)


def test_every_captured_span_goes_to_the_first_convention_that_recognizes_it() -> None:
    candidates = candidate_finder(tuple(CONVENTIONS))
    claimed = set()
    for client in CLIENTS:
        for capture in captures(client):
            if capture.path.endswith("/traces") and not capture.content_encoding:
                protobuf = "protobuf" in capture.content_type
                for found in (otlp_protobuf if protobuf else otlp_json).read_traces(capture.body).spans:
                    requested = next((c for c in CONVENTIONS if c.role_of(found) is not None), None)
                    role, by = recognized(found, candidates(found.attributes))
                    assert by is requested
                    claimed.add(by and role is Role.CALL and by.name)
    assert {"openinference", "vercel-ai", "mlflow", "litellm", "pydantic-ai", "openllmetry", "otel-genai"} <= claimed


def test_no_convention_recognizes_a_span_without_its_markers() -> None:
    for convention in CONVENTIONS:
        assert convention.markers
    assert candidate_finder(tuple(CONVENTIONS))({"http.method": "GET"}) == ((), (), None)


@pytest.mark.parametrize(("names", "role"), NO_CALLS)
def test_a_span_that_is_not_a_call_for_one_convention_is_not_a_call(names: Any, role: Role) -> None:
    found = attributes({**names, **MODEL, "gen_ai.operation.name": "chat"})
    assert recognize(found).role is role


@pytest.mark.parametrize("kind", ["UNKNOWN", "", 7, ["LLM"]])
def test_an_unknown_kind_leaves_the_span_to_the_next_convention(kind: Any) -> None:
    assert convention_of(attributes({"openinference.span.kind": kind, **MODEL})) == "otel-genai"


def test_a_second_convention_fills_what_the_first_lacks() -> None:
    call = call_of(
        attributes(
            OPENINFERENCE
            | MODEL
            | {
                "gen_ai.output.messages": ANSWER,
                "gen_ai.response.id": "r-1",
                "gen_ai.provider.name": "openai",
                "gen_ai.prompt.name": "support",
                "gen_ai.prompt.version": "7",
                "gen_ai.usage.output_tokens": 12,
            }
        )
    )
    assert (call.convention, call.response_id, call.provider) == ("openinference", "r-1", "openai")
    assert (call.prompt_id, call.prompt_version, call.output_tokens) == ("support", "7", 12)
    assert (call.input_text, call.output_text, call.finish_reason) == ("refund?", "30 days", FinishReason.STOP)
    assert (call.status, call.content_state) == (Status.OK, ContentState.FULL)


def test_text_attributes_alone_can_fill_a_recognized_call() -> None:
    assert call_of(attributes(OPENINFERENCE | {"gen_ai.output.messages": ANSWER})).output_text == "30 days"
    openinference = {k: v for k, v in OPENINFERENCE.items() if k != "openinference.span.kind"}
    found = call_of(attributes(MODEL | openinference | {"gen_ai.output.messages": ANSWER}))
    assert (found.convention, found.input_text, found.output_text) == ("otel-genai", "refund?", "30 days")


def test_a_second_convention_overwrites_nothing_and_its_different_values_are_kept() -> None:
    reported = {"llm.token_count.completion": 12, "llm.provider": "azure"}
    call = call_of(
        attributes(OPENINFERENCE | MODEL | reported | {"gen_ai.usage.output_tokens": 15, "gen_ai.system": "azure"})
    )
    assert (call.output_tokens, call.provider) == (12, "azure")
    assert call.attributes["driftd.differs.otel-genai.output_tokens"] == 15
    assert not any("provider" in name for name in call.attributes if name.startswith("driftd.differs."))


def test_a_second_convention_that_cannot_read_the_span_is_skipped() -> None:
    call = call_of(attributes(OPENINFERENCE | MODEL | {"gen_ai.output.messages": "[[["}))
    assert (call.convention, call.input_text) == ("openinference", "refund?")


def test_authoritative_fields_are_not_filled_by_other_conventions() -> None:
    stream = {"litellm.call_id": "c-1", "gen_ai.response.id": "c-1", "gen_ai.usage.output_tokens": 0}
    call = call_of(attributes(MODEL | stream | {"gen_ai.usage.input_tokens": 0, "gen_ai.operation.name": "chat"}))
    assert (call.convention, call.response_id, call.output_tokens) == ("litellm", None, None)


VALUES = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.lists(st.text(max_size=4))
NAMES = sorted({name for c in CONVENTIONS for name in (*c.markers, *c.fill_prefixes)} | {"gen_ai.output.messages"})


@given(st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=8))
@settings(max_examples=examples(200), deadline=None)
def test_names_of_other_conventions_do_not_change_the_values_of_the_first(more: dict[str, Any]) -> None:
    """Other attributes on the span do not change the values that the first convention reads. An answer completes a
    call.
    """
    added = {n: v for n, v in more.items() if not n.startswith(("openinference.", "llm."))}
    plain, filled = call_of(attributes(OPENINFERENCE)), call_of(attributes(OPENINFERENCE | added))
    assert is_call(attributes(OPENINFERENCE | added))
    for name in ("id", "convention", "started_at", "request_model", "input_messages"):
        assert getattr(filled, name) == getattr(plain, name), name
    assert filled.status is plain.status or filled.output_messages or filled.output_tokens is not None
