from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.ingest.conventions.texts.messages import TOO_DEEP, read_message
from tests.ingest.build import user


def called(name: str, arguments: str = "") -> ToolCall:
    return ToolCall(id=None, name=name, arguments=arguments)


def test_text_parts_are_joined_and_other_parts_are_left_out() -> None:
    raw = {
        "role": "user",
        "parts": [
            {"type": "text", "content": "one"},
            {"type": "reasoning", "content": "thinking"},
            {"type": "blob", "content": "iVBOR", "mime_type": "image/png"},
            "two",
            {"type": "input_text", "text": "three"},
        ],
    }
    assert read_message(raw, "user") == [ChatMessage(role="user", content="one\ntwo\nthree")]


def test_tool_calls_are_read_in_every_spelling() -> None:
    parts = {"parts": [{"type": "tool_call", "id": "1", "name": "f", "arguments": {"a": 1}}]}
    chat = {"tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]}
    blocks = {"content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}]}
    expected = ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="1", name="f", arguments='{"a": 1}'),))
    for raw in (parts, chat, blocks):
        assert read_message(raw, "assistant") == [expected]


def test_every_tool_result_becomes_a_message_of_its_own() -> None:
    raw = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": "7 C"},
            {"type": "tool_call_response", "id": "2", "response": {"status": "late"}},
            {"type": "text", "text": "and?"},
        ],
    }
    assert read_message(raw, "user") == [
        ChatMessage(role="tool", content="7 C", tool_call_id="1"),
        ChatMessage(role="tool", content='{"status": "late"}', tool_call_id="2"),
        ChatMessage(role="user", content="and?"),
    ]


@pytest.mark.parametrize("raw", [{"role": "user"}, {"role": "user", "content": None}, {"parts": []}])
def test_an_empty_message_is_left_out(raw: dict[str, Any]) -> None:
    assert read_message(raw, "user") == []


def test_a_message_with_only_an_image_has_no_text() -> None:
    assert read_message({"content": [{"type": "image_url"}]}, "user") == [ChatMessage(role="user", content="")]


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ("hi", user("hi")),
        (7, user("7")),
        ({"role": 3, "content": "x"}, user("x")),
        ({"content": 3}, user("3")),
        ({"content": [3]}, user("3")),
        ({"content": {"answer": 42}}, user('{"answer": 42}')),
        ({"content": {"type": "text", "text": "x"}}, user("x")),
        ({"content": [{"type": "text", "text": 3}]}, user("3")),
        ({"content": [{"type": ["text"], "text": "x"}]}, user("x")),
        ({"tool_calls": {"function": {"name": "f"}}}, ChatMessage(role="user", content="", tool_calls=(called("f"),))),
        ({"tool_calls": ["f"]}, ChatMessage(role="user", content="", tool_calls=(called("", "f"),))),
        ({"tool_calls": [{"function": {}}]}, ChatMessage(role="user", content="", tool_calls=(called(""),))),
        ({"content": "x", "tool_call_id": 1}, ChatMessage(role="user", content="x", tool_call_id="1")),
        (
            {"content": [{"type": "tool_result", "id": [7], "content": "x"}]},
            ChatMessage(role="tool", content="x"),
        ),
    ],
)
def test_a_message_of_unknown_shape_becomes_its_text(raw: Any, message: ChatMessage) -> None:
    assert read_message(raw, "user") == [message]


def test_an_absent_message_is_ignored() -> None:
    assert read_message(None, "user") == []
    assert read_message({"content": [None], "tool_calls": [None]}, "user") == []


def test_a_call_has_the_id_that_its_result_refers_to() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
    [message] = read_message({"content": [item]}, "assistant")
    assert [call.id for call in message.tool_calls] == ["call_1"]


def test_a_result_nested_too_deep_has_a_placeholder() -> None:
    deep: Any = "late"
    for _ in range(100_000):
        deep = [deep]
    result = {"content": [{"type": "tool_result", "content": deep}]}
    assert read_message(result, "user") == [ChatMessage(role="tool", content=TOO_DEEP)]
