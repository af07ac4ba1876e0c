import json
from typing import Any

import pytest

from monitor.domain.interaction import (
    ChatMessage,
    ContentState,
    CostSource,
    FinishReason,
    Interaction,
    Status,
    ToolCall,
    UsageSource,
)
from monitor.ingest.conventions.mlflow import MLflow
from monitor.ingest.conventions.roles import Role
from monitor.ingest.spans import SpanEvent
from tests.ingest.build import START_NS, context, span, user
from tests.ingest.recognize import is_call

ASKED = {
    "model": "gpt-4o",
    "temperature": 0.2,
    "messages": [{"role": "system", "content": "Be kind."}, {"role": "user", "content": "refund?"}],
}
GIVEN = {
    "id": "chatcmpl-1",
    "model": "gpt-4o-2024-11-20",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "30 days."}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 4, "completion_tokens_details": {"reasoning_tokens": 2}},
}


def attributes_of(requested: Any, given: Any, **more: Any) -> dict[str, Any]:
    named = {f"mlflow.{name}": value for name, value in more.items()}
    return {
        **dict.fromkeys(span().attributes),
        "mlflow.spanType": '"CHAT_MODEL"',
        "mlflow.message.format": '"openai"',
        "mlflow.spanInputs": requested if isinstance(requested, str) else json.dumps(requested),
        "mlflow.spanOutputs": given if isinstance(given, str) else json.dumps(given),
        **named,
    }


def read(
    requested: Any = ASKED, given: Any = GIVEN, parent: dict[str, Any] | None = None, **fields: Any
) -> Interaction:
    more = fields.pop("more", {})
    built = span(attributes_of(requested, given) | more, **fields)
    assert MLflow().role_of(built) is Role.CALL
    return MLflow().read_call(built, context(parent))


def chunk(number: int, delta: dict[str, Any], finish_reason: str | None = None, **reported: Any) -> SpanEvent:
    value = {"choices": [{"index": 0, "delta": delta, "finish_reason": finish_reason}], **reported}
    return SpanEvent(
        name=f"mlflow.chunk.item.{number}",
        time_ns=START_NS + number * 1_000_000,
        attributes={"mlflow.chunk.value": json.dumps(value)},
    )


def test_request_and_answer_of_the_provider_are_read() -> None:
    found = read()
    assert (found.system_prompt, found.input_messages) == ("Be kind.", (user("refund?"),))
    assert (found.output_text, found.finish_reason) == ("30 days.", FinishReason.STOP)
    assert (found.request_model, found.response_model) == ("gpt-4o", "gpt-4o-2024-11-20")
    assert (found.response_id, found.provider, found.temperature) == ("chatcmpl-1", "openai", 0.2)
    assert (found.input_tokens, found.output_tokens, found.reasoning_tokens) == (9, 4, 2)
    assert (found.content_state, found.status) == (ContentState.FULL, Status.OK)


def test_mlflows_own_count_replaces_a_missing_usage() -> None:
    usage = {"input_tokens": 5, "output_tokens": 6, "cache_read_input_tokens": 0}
    found = read(given=GIVEN | {"usage": None}, more={"mlflow.chat.tokenUsage": json.dumps(usage)})
    assert (found.input_tokens, found.output_tokens, found.usage_source) == (5, 6, UsageSource.EMITTED)
    assert read(given=GIVEN | {"usage": None}).usage_source is UsageSource.ABSENT


def test_the_cost_of_mlflow_is_the_emitted_cost() -> None:
    found = read(more={"mlflow.llm.cost": '{"input_cost": 1e-6, "output_cost": 2e-6, "total_cost": 3e-6}'})
    assert (found.cost_usd, found.cost_source) == (3e-6, CostSource.EMITTED)


def test_an_interrupted_stream_is_joined_from_its_chunks() -> None:
    requested = ASKED | {"stream": True}
    chunks = (chunk(1, {"content": " days."}), chunk(0, {"role": "assistant", "content": "30"}))
    found = read(requested, "", events=chunks, failed=True)
    assert (found.output_text, found.status) == ("30 days.", Status.ERROR)
    assert found.ttft_ms == 0.0


def test_the_chunks_of_an_interrupted_stream_name_the_model() -> None:
    reported = {"id": "chatcmpl-9", "model": "gpt-4o-2024-11-20", "system_fingerprint": "fp_1"}
    found = read(ASKED | {"stream": True}, "", events=(chunk(0, {"content": "30"}, **reported),), failed=True)
    assert (found.response_id, found.response_model, found.system_fingerprint) == tuple(reported.values())


@pytest.mark.parametrize("reported", ["{", "[1]", '{"model": ["gpt"], "id": 3}', None, 7])
def test_an_unreadable_first_chunk_does_not_affect_the_rest(reported: Any) -> None:
    odd = SpanEvent(name="mlflow.chunk.item.0", time_ns=START_NS, attributes={"mlflow.chunk.value": reported})
    found = read(ASKED | {"stream": True}, "", events=(odd, chunk(1, {"content": "30 days."})), failed=True)
    assert (found.output_text, found.response_model, found.request_model) == ("30 days.", None, "gpt-4o")


def test_lost_tool_calls_are_read_from_the_chunks() -> None:
    lost = GIVEN | {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": ""}}]}
    first = {"index": 0, "id": "c1", "function": {"name": "look", "arguments": ""}}
    pieces = [{"index": 0, "function": {"arguments": piece}} for piece in ('{"a"', ": 1}")]
    other = {"index": 1, "id": "c2", "function": {"name": "mail", "arguments": "{}"}}
    deltas = [{"tool_calls": [piece]} for piece in (first, *pieces, other)]
    chunks = [chunk(i, delta) for i, delta in enumerate(deltas)]
    found = read(ASKED | {"stream": True}, lost, events=(*chunks, chunk(12, {}, "tool_calls")))
    assert found.output_messages == (
        ChatMessage(
            role="assistant",
            content="",
            tool_calls=(
                ToolCall(id="c1", name="look", arguments='{"a": 1}'),
                ToolCall(id="c2", name="mail", arguments="{}"),
            ),
        ),
    )
    assert found.finish_reason is FinishReason.TOOL_CALLS


@pytest.mark.parametrize("calls", [3, ["look"], [{"index": []}], [{"index": ["x"], "function": {"name": "look"}}]])
def test_tool_call_chunks_of_unknown_shape_do_not_hide_the_text(calls: Any) -> None:
    odd = chunk(1, {"tool_calls": calls})
    found = read(ASKED | {"stream": True}, "", events=(chunk(0, {"content": "30 days."}), odd))
    assert found.output_text == "30 days."


def test_a_request_cut_at_an_attribute_limit_leaves_the_messages_before_the_cut() -> None:
    text = json.dumps(ASKED)
    found = read(text[: text.index("refund") + 3], more={"model": '"gpt-4o"', "temperature": "0.2"})
    assert (found.system_prompt, found.input_messages) == ("Be kind.", ())
    assert (found.request_model, found.temperature) == ("gpt-4o", 0.2), "parameters are attributes too"
    assert found.content_state is ContentState.TRUNCATED


def test_an_answer_cut_at_an_attribute_limit_is_truncated() -> None:
    found = read(given=json.dumps(GIVEN)[:-150])
    assert (found.output_messages, found.content_state) == ((), ContentState.TRUNCATED)


def test_the_tag_on_the_outermost_span_names_the_prompt() -> None:
    tagged = read(parent={"mlflow.traceTag.prompt_version": "support-answer/7"})
    assert (tagged.prompt_id, tagged.prompt_version) == ("support-answer", "7")
    linked = read(parent={"mlflow.traceTag.mlflow.linkedPrompts": '[{"name": "support-answer", "version": "12"}]'})
    assert (linked.prompt_id, linked.prompt_version) == ("support-answer", "12")
    bare = read(parent={"mlflow.traceTag.prompt_version": "v7"})
    assert (bare.prompt_id, bare.prompt_version) == (None, "v7")


def test_session_and_user_of_the_trace_are_those_of_the_call() -> None:
    found = read(parent={"mlflow.trace.session": '"sess-42"', "mlflow.trace.user": "user-831"})
    assert (found.conversation_id, found.conversation_source) == ("sess-42", "mlflow.trace.session")
    assert (found.user_id, found.user_source) == ("user-831", "mlflow.trace.user")
    assert read(ASKED | {"user": "user-9"}).user_id == "user-9"


def test_a_function_of_the_application_that_calls_a_model_is_a_call() -> None:
    found = read({"question": "refund?"}, '"30 days."', more={"mlflow.spanType": '"LLM"'})
    assert (found.input_messages, found.output_text) == ((user("refund?"),), "30 days.")
    several = read({"question": "refund?", "top": 3}, {"text": "30 days.", "sources": ["kb"]})
    assert several.input_text == '{"question": "refund?", "top": 3}'
    assert several.status is Status.OK, "such an answer has no finish reason"


@pytest.mark.parametrize("kind", ['"CHAIN"', '"RETRIEVER"', '"EMBEDDING"', '"TOOL"', '"AGENT"', ["LLM"]])
def test_chains_retrievers_embeddings_tools_and_agents_are_not_calls(kind: Any) -> None:
    built = span(attributes_of(ASKED, GIVEN) | {"mlflow.spanType": kind})
    assert not is_call(built)
