import json
from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, ContentState, FinishReason, Interaction, Status, ToolCall
from monitor.ingest.conventions.vercel import Vercel
from tests.ingest.build import context, event, span, user
from tests.ingest.recognize import is_call

ASKED = [{"role": "system", "content": "Be kind."}, {"role": "user", "content": [{"type": "text", "text": "refund?"}]}]
CALL = {
    "gen_ai.operation.name": None,
    "gen_ai.provider.name": None,
    "ai.operationId": "ai.generateText.doGenerate",
    "ai.model.provider": "openai.chat",
    "ai.model.id": "gpt-4o",
    "ai.prompt.messages": json.dumps(ASKED),
    "ai.response.text": "30 days.",
    "ai.response.finishReason": "stop",
    "ai.usage.inputTokens": 9,
    "ai.usage.outputTokens": 4,
}


def read(attributes: dict[str, Any] | None = None, **fields: Any) -> Interaction:
    return Vercel().read_call(span(CALL | (attributes or {}), **fields), context())


def test_messages_and_answer_are_read() -> None:
    found = read()
    assert (found.system_prompt, found.input_messages, found.output_text) == (
        "Be kind.",
        (user("refund?"),),
        "30 days.",
    )
    assert (found.provider, found.request_model) == ("openai", "gpt-4o")
    assert (found.content_state, found.status) == (ContentState.FULL, Status.OK)


@pytest.mark.parametrize(
    ("given", "result"), [("input", {"output": {"type": "text", "value": "late"}}), ("args", {"result": "late"})]
)
def test_calls_of_tools_and_results_are_linked_in_version_4_and_since_5(given: str, result: dict[str, Any]) -> None:
    turns = [
        {
            "role": "assistant",
            "content": [{"type": "tool-call", "toolCallId": "c1", "toolName": "look", given: {"a": 1}}],
        },
        {"role": "tool", "content": [{"type": "tool-result", "toolCallId": "c1", "toolName": "look", **result}]},
    ]
    calls = json.dumps([{"toolCallId": "c2", "toolName": "mail", given: '{"to": "x"}'}])
    found = read(
        {
            "ai.prompt.messages": json.dumps(turns),
            "ai.response.text": None,
            "ai.response.toolCalls": calls,
            "ai.response.finishReason": "tool-calls",
        }
    )
    assert found.input_messages == (
        ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="c1", name="look", arguments='{"a": 1}'),)),
        ChatMessage(role="tool", content="late", tool_call_id="c1"),
    )
    assert found.output_messages == (
        ChatMessage(
            role="assistant", content="", tool_calls=(ToolCall(id="c2", name="mail", arguments='{"to": "x"}'),)
        ),
    )
    assert (found.finish_reason, found.finish_reason_raw) == (FinishReason.TOOL_CALLS, "tool-calls")


def test_a_requested_object_is_the_answer() -> None:
    found = read({"ai.response.text": None, "ai.response.object": '{"intent":"cancel"}'})
    assert found.output_text == '{"intent":"cancel"}'


def test_messages_cut_at_an_attribute_limit_leave_those_before_the_cut() -> None:
    found = read({"ai.prompt.messages": json.dumps(ASKED)[:-10]})
    assert (found.system_prompt, found.input_messages) == ("Be kind.", ())
    assert found.content_state is ContentState.TRUNCATED


def test_tokens_of_version_4_are_the_same() -> None:
    old = {"ai.usage.inputTokens": None, "ai.usage.outputTokens": None}
    found = read(old | {"ai.usage.promptTokens": 9, "ai.usage.completionTokens": 4})
    assert (found.input_tokens, found.output_tokens) == (9, 4)


def test_a_stream_that_was_not_read_to_its_end_is_incomplete() -> None:
    remaining = {"ai.operationId": "ai.streamText.doStream", "ai.response.finishReason": "unknown"}
    found = read(remaining | {"ai.response.msToFirstChunk": 75.7})
    assert (found.status, found.finish_reason, found.ttft_ms) == (Status.INCOMPLETE, None, 75.7)


def test_metadata_of_the_application_is_session_user_and_prompt() -> None:
    reported = {
        "sessionId": "sess-42",
        "userId": "user-831",
        "promptName": "answer",
        "promptVersion": "v7",
        "tenant": "acme",
    }
    found = read({f"ai.telemetry.metadata.{name}": value for name, value in reported.items()})
    assert (found.conversation_id, found.user_id) == ("sess-42", "user-831")
    assert (found.prompt_id, found.prompt_version) == ("answer", "v7")
    assert found.attributes["ai.telemetry.metadata.tenant"] == "acme"
    assert "user-831" not in str(found.attributes)


def test_the_message_gives_the_error_class_when_the_name_does_not() -> None:
    raised = {"exception.type": "AI_APICallError", "exception.message": "Rate limit reached for gpt-4o: Limit 200"}
    found = read({"ai.response.text": None}, failed=True, events=(event("exception", **raised),))
    assert (found.error_type, found.error_class, found.status) == ("AI_APICallError", "rate_limit", Status.ERROR)
    assert found.content_state is ContentState.FULL, "a call that failed has no output to miss"


@pytest.mark.parametrize("operation", ["ai.generateText", "ai.streamText", "ai.toolCall", "ai.embed.doEmbed", ["ai"]])
def test_the_parent_of_the_call_is_not_a_call(operation: Any) -> None:
    built = span(dict.fromkeys(CALL) | {"ai.operationId": operation, "gen_ai.request.model": None})
    assert not is_call(built)


@pytest.mark.parametrize(
    ("messages", "text"),
    [
        ('["hi"]', "hi"),
        ("hi", "hi"),
        ('[{"role":"user","content":3}]', "3"),
        ('[{"role":"user","content":["hi"]}]', "hi"),
        ('[{"role":7,"content":[{"type":"text","text":"hi"}]}]', "hi"),
    ],
)
def test_a_message_of_unknown_shape_becomes_its_text(messages: str, text: str) -> None:
    assert [m.content for m in read({"ai.prompt.messages": messages}).input_messages] == [text]


def test_a_call_without_a_tool_name_has_an_empty_name() -> None:
    found = read({"ai.response.toolCalls": '[{"toolCallId":"c1","input":{"a":1}},7]'})
    assert [(c.id, c.name, c.arguments) for m in found.output_messages for c in m.tool_calls] == [
        ("c1", "", '{"a": 1}'),
        (None, "", "7"),
    ]
