from typing import Any

import pytest

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.errors import MalformedRecord
from monitor.ingest.conventions.messages import read_message


def test_text_parts_are_joined_and_everything_that_is_no_text_is_left_out() -> None:
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
    assert read_message(raw, "m", "user") == [ChatMessage(role="user", content="one\ntwo\nthree")]


def test_tool_calls_are_read_in_every_spelling() -> None:
    parts = {"parts": [{"type": "tool_call", "id": "1", "name": "f", "arguments": {"a": 1}}]}
    chat = {"tool_calls": [{"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}]}
    blocks = {"content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}]}
    expected = ChatMessage(role="assistant", content="", tool_calls=(ToolCall(id="1", name="f", arguments='{"a": 1}'),))
    for raw in (parts, chat, blocks):
        assert read_message(raw, "m", "assistant") == [expected]


def test_every_tool_result_becomes_a_message_of_its_own() -> None:
    raw = {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": "7 C"},
            {"type": "tool_call_response", "id": "2", "response": {"status": "late"}},
            {"type": "text", "text": "and?"},
        ],
    }
    assert read_message(raw, "m", "user") == [
        ChatMessage(role="tool", content="7 C", tool_call_id="1"),
        ChatMessage(role="tool", content='{"status": "late"}', tool_call_id="2"),
        ChatMessage(role="user", content="and?"),
    ]


@pytest.mark.parametrize("raw", [{"role": "user"}, {"role": "user", "content": None}, {"parts": []}])
def test_a_message_without_anything_in_it_is_none(raw: dict[str, Any]) -> None:
    assert read_message(raw, "m", "user") == []


def test_a_message_of_an_image_alone_is_a_message_without_text() -> None:
    assert read_message({"content": [{"type": "image_url"}]}, "m", "user") == [ChatMessage(role="user", content="")]


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("hi", "m is no object with a role"),
        ({"role": 3, "content": "x"}, "m.role is no string"),
        ({"content": 3}, "m.content is neither a text nor a list"),
        ({"content": [3]}, r"m.content\[0\] is neither a text nor an object"),
        ({"content": [{"type": "text", "text": 3}]}, "content of a text part is no string"),
        ({"tool_calls": {}}, "m.tool_calls is no list"),
        ({"tool_calls": ["f"]}, r"m.tool_calls\[0\] is no tool call object"),
        ({"tool_calls": [{"function": {}}]}, r"m.tool_calls\[0\]: a tool call names no tool"),
        ({"content": "x", "tool_call_id": 1}, "m.tool_call_id is no string"),
        ({"content": [{"type": "tool_result", "id": 7}]}, "id of a tool result is no string"),
    ],
)
def test_a_complaint_names_the_place(raw: Any, reason: str) -> None:
    with pytest.raises(MalformedRecord, match=reason):
        read_message(raw, "m", "user")


def test_a_call_is_named_by_the_id_that_its_result_names() -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "f", "arguments": "{}"}
    [message] = read_message({"content": [item]}, "m", "assistant")
    assert [call.id for call in message.tool_calls] == ["call_1"]


def test_a_result_nested_too_deep_to_be_written_is_malformed() -> None:
    deep: Any = "late"
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(MalformedRecord, match="nested too deep"):
        read_message({"content": [{"type": "tool_result", "content": deep}]}, "m", "user")
