import json
from typing import Any

import pytest
from msgspec.structs import replace

from monitor.domain.interaction import ChatMessage, ContentState, FinishReason, Interaction, Status, ToolCall
from monitor.ingest.conventions.roles import Role
from monitor.ingest.conventions.traceloop import Traceloop
from tests.ingest.build import context, event, span, user
from tests.ingest.recognize import call_of, is_call

OLD = {  # from versions with numbered messages: no operation name, and old token names
    "gen_ai.operation.name": None,
    "gen_ai.provider.name": None,
    "gen_ai.response.finish_reasons": None,
    "gen_ai.system": "OpenAI",
    "llm.request.type": "chat",
    "llm.is_streaming": False,
    "gen_ai.prompt.0.role": "system",
    "gen_ai.prompt.0.content": "Be kind.",
    "gen_ai.prompt.1.role": "user",
    "gen_ai.prompt.1.content": "refund?",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.content": "30 days.",
    "gen_ai.completion.0.finish_reason": "stop",
    "gen_ai.usage.prompt_tokens": 9,
    "gen_ai.usage.completion_tokens": 4,
    "gen_ai.usage.cache_read_input_tokens": 3,
}


def read(attributes: dict[str, Any], **fields: Any) -> Interaction:
    built = span(OLD | attributes, **fields)
    assert Traceloop().role_of(built) is Role.CALL
    return Traceloop().read_call(built, context())


def test_old_numbered_messages_are_read_in_order() -> None:
    many = {f"gen_ai.prompt.{n}.{k}": v for n in range(2, 12) for k, v in (("role", "user"), ("content", f"m{n}"))}
    found = read(dict(reversed(many.items())))
    assert [m.content for m in found.input_messages] == ["refund?", *(f"m{n}" for n in range(2, 12))]
    assert (found.system_prompt, found.output_text) == ("Be kind.", "30 days.")
    assert (found.finish_reason, found.status) == (FinishReason.STOP, Status.OK)
    assert (found.input_tokens, found.output_tokens, found.cached_input_tokens) == (9, 4, 3)
    assert found.content_state is ContentState.FULL


def test_numbered_calls_of_tools_and_their_results_are_linked_by_id() -> None:
    found = read(
        {
            "gen_ai.prompt.2.role": "assistant",
            "gen_ai.prompt.2.tool_calls.0.id": "c0",
            "gen_ai.prompt.2.tool_calls.0.name": "look",
            "gen_ai.prompt.2.tool_calls.0.arguments": "{}",
            "gen_ai.prompt.3.role": "tool",
            "gen_ai.prompt.3.content": "late",
            "gen_ai.prompt.3.tool_call_id": "c0",
            "gen_ai.completion.0.content": None,
            "gen_ai.completion.0.finish_reason": "tool_calls",
            "gen_ai.completion.0.tool_calls.1.id": "c2",
            "gen_ai.completion.0.tool_calls.1.name": "mail",
            "gen_ai.completion.0.tool_calls.0.id": "c1",
            "gen_ai.completion.0.tool_calls.0.name": "look",
            "gen_ai.completion.0.tool_calls.0.arguments": '{"a":1}',
        }
    )
    assert found.input_messages[1:] == (
        ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="c0", name="look", arguments="{}"),)),
        ChatMessage(role="tool", content="late", tool_call_id="c0"),
    )
    [answer] = found.output_messages
    assert answer.tool_calls == (
        ToolCall(id="c1", name="look", arguments='{"a":1}'),
        ToolCall(id="c2", name="mail", arguments=""),
    )


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ('[{"type": "text", "text": "refund?"}, {"type": "image_url"}]', "refund?"),  # message parts
        ('[{"intent": "refund"}]', '[{"intent": "refund"}]'),  # an answer in JSON mode is text
        ("[1] refund?", "[1] refund?"),
    ],
)
def test_a_numbered_content_is_a_text_or_json_of_parts(content: str, text: str) -> None:
    assert read({"gen_ai.prompt.1.content": content}).input_text == text


def test_an_old_function_call_is_a_tool_call() -> None:
    call = {"gen_ai.completion.0.function_call.name": "look", "gen_ai.completion.0.function_call.arguments": "{}"}
    [answer] = read(call | {"gen_ai.completion.0.content": None}).output_messages
    assert answer.tool_calls == (ToolCall(id=None, name="look", arguments="{}"),)


def test_parts_cut_at_an_attribute_limit_leave_those_before_the_cut() -> None:
    parts = json.dumps([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])
    found = read({"gen_ai.prompt.1.content": parts[:-6]})
    assert (found.input_text, found.content_state) == ("one", ContentState.TRUNCATED)


def test_current_lists_win_over_numbered_messages() -> None:
    found = read({"gen_ai.input.messages": '[{"role":"user","content":"now?"}]'})
    assert found.input_messages == (user("now?"),)


def test_without_texts_content_is_absent() -> None:
    bare = {name: None for name in OLD if name.startswith(("gen_ai.prompt", "gen_ai.completion"))}
    found = read(bare | {"gen_ai.response.finish_reasons": ["stop"]})
    assert (found.content_state, found.status) == (ContentState.ABSENT, Status.OK)


def test_trace_tags_give_session_user_and_prompt() -> None:
    found = read(
        {
            "traceloop.association.properties.chat_id": "conv-42",
            "traceloop.association.properties.session_id": "sess-42",
            "traceloop.association.properties.user_id": "user-831",
            "traceloop.association.properties.tenant": "acme",
            "traceloop.prompt.key": "support-answer",
            "traceloop.prompt.version": 7,
        }
    )
    assert (found.conversation_id, found.conversation_source) == (
        "conv-42",
        "traceloop.association.properties.chat_id",
    )
    assert (found.user_id, found.user_source) == ("user-831", "traceloop.association.properties.user_id")
    assert (found.prompt_id, found.prompt_version) == ("support-answer", "7")
    assert found.attributes["traceloop.association.properties.tenant"] == "acme"
    assert "user-831" not in str(found.attributes), "a user id is only in its own column"


def test_the_first_chunk_of_a_stream_gives_its_time() -> None:
    chunk = event("gen_ai.content.completion.chunk")
    chunk = replace(chunk, time_ns=chunk.time_ns + 60_000_000)
    assert read({"llm.is_streaming": True}, events=(chunk,)).ttft_ms == 60.0


def test_a_stream_that_ended_without_a_reason_is_incomplete() -> None:
    found = read({"llm.is_streaming": True, "gen_ai.completion.0.finish_reason": ""})
    assert found.status is Status.INCOMPLETE


@pytest.mark.parametrize(
    "attributes",
    [
        {"traceloop.span.kind": "workflow"},
        {"llm.request.type": "embedding"},
        {"gen_ai.operation.name": "embeddings"},
        {"gen_ai.operation.name": ["chat"]},
        {"gen_ai.request.model": None},
    ],
)
def test_parents_of_calls_and_embeddings_are_not_calls_in_any_convention(attributes: dict[str, Any]) -> None:
    built = span(OLD | attributes)
    assert Traceloop().role_of(built) is not Role.CALL
    if "gen_ai.operation.name" not in attributes and "traceloop.span.kind" not in attributes:
        assert not is_call(built)


def test_association_properties_on_a_span_of_the_genai_conventions_name_the_conversation_and_the_user() -> None:
    properties = {"session_id": "s-1", "user_id": "u-1"}
    built = span({f"traceloop.association.properties.{name}": value for name, value in properties.items()})
    found = call_of(built)
    assert (found.convention, found.conversation_id, found.user_id) == ("otel-genai", "s-1", "u-1")
