from typing import Any

import pytest

from replay.errors import CaseError
from replay.evalsets.case_codec import case_from_json, case_to_json
from replay.evalsets.message_codec import message_from_json, message_to_json
from replay.types import Image, Message, Text, ToolCall

SIGN = {"type": "image_url", "image_url": {"url": "https://example.com/sign.png"}}
TOOLS = [{"name": "find_order", "description": "Finds an order.", "parameters": {"type": "object"}}]


def test_images_keep_their_place_between_the_texts() -> None:
    given = {"role": "user", "content": [{"type": "text", "text": "This:"}, SIGN, {"type": "text", "text": "What?"}]}
    message = message_from_json(given, "here")
    assert message.content == "This:\nWhat?"
    assert message.parts == (
        Text(text="This:"),
        Image(url="https://example.com/sign.png"),
        Text(text="What?"),
    )
    assert message_to_json(message) == given


def test_a_list_of_one_text_is_that_text() -> None:
    message = message_from_json({"role": "user", "content": [{"type": "text", "text": "Hi"}]}, "here")
    assert message == Message(role="user", content="Hi")


def test_an_earlier_call_of_a_tool_and_its_answer_are_turns_like_any_other() -> None:
    turns = [
        {"role": "user", "content": "Where is order 7?"},
        {"role": "assistant", "tool_calls": [{"id": "1", "name": "find_order", "arguments": {"order": 7}}]},
        {"role": "tool", "content": "shipped", "tool_call_id": "1"},
        {"role": "user", "content": "When?"},
    ]
    case = case_from_json({"id": "c", "input": turns}, "here")
    assert case.input[1].tool_calls == (ToolCall(id="1", name="find_order", arguments='{"order": 7}'),)
    assert case.input[2].tool_call_id == "1"
    assert case.last_user_text == "When?"


def test_what_a_tool_gives_back_may_be_json_and_fit_some_arguments_alone() -> None:
    results = [
        {"name": "find_order", "arguments": {"order": 7}, "result": {"state": "shipped"}},
        {"name": "find_order", "result": "no such order"},
    ]
    case = case_from_json({"id": "c", "input": "?!", "tools": TOOLS, "tool_results": results}, "here")
    assert [(each.arguments, each.result) for each in case.tool_results] == [
        ({"order": 7}, '{"state": "shipped"}'),
        (None, "no such order"),
    ]
    assert case_to_json(case)["tools"] == TOOLS


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"content": [SIGN | {"image_url": "file:///etc/passwd"}]}, "part 1: field 'image_url' must be a URL"),
        ({"content": [{"type": "audio"}]}, "part 1: expected an object of type text or image_url, found an object"),
        ({"content": ["Hi"]}, "part 1: expected an object of type text or image_url, found a text"),
        ({"content": [{"type": "text", "text": 7}]}, "part 1: field 'text' must be a text, found a number"),
        ({"tool_calls": [{"id": "1", "name": "f"}]}, "field 'tool_calls' belongs to an assistant's message"),
        ({"tool_call_id": "1"}, "field 'tool_call_id' belongs to a tool's message"),
        ({"role": "assistant", "tool_calls": [{"id": "", "name": "f"}]}, "field 'id' is empty"),
        ({"role": "assistant", "tool_calls": [{"id": "1", "name": "f", "arguments": 3}]}, "must be an object"),
    ],
)
def test_a_wrong_message_is_named_with_what_to_do(change: dict[str, Any], message: str) -> None:
    with pytest.raises(CaseError) as caught:
        message_from_json({"role": "user", "content": "Hi"} | change, "here")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tools": TOOLS * 2}, "field 'tools' has 'find_order' twice"),
        ({"tools": [{"name": "f", "parameters": []}]}, "field 'parameters' must be an object, found a list"),
        ({"tool_results": [{"name": "g", "result": ""}]}, "names 'g', which is not one of its tools"),
        ({"tools": TOOLS, "tool_results": [{"name": "find_order"}]}, "field 'result' is missing"),
        ({"variables": ["x"]}, "field 'variables' must be an object, found a list"),
        ({"variables": {"x": float("nan")}}, "field 'variables' has a number that is not finite"),
        ({"variables": {"x": "\ud800"}}, "field 'variables' has half a surrogate pair"),
    ],
)
def test_wrong_tools_and_variables_are_named_with_what_to_do(change: dict[str, Any], message: str) -> None:
    with pytest.raises(CaseError) as caught:
        case_from_json({"id": "c", "input": "Hi"} | change, "here")
    assert message in str(caught.value)
