"""Conversations, images and tools in every protocol of model endpoints, over real HTTP."""

import asyncio
import json
from typing import Any

import pytest
from aiohttp import web

from replay.errors import CallError
from replay.types import Case, Image, Message, Reply, Text, Tool, ToolCall, ToolResult
from tests.replay.targets import faulty
from tests.replay.targets.faulty import FaultyServer
from tests.replay.targets.shapes import CHAT, MESSAGES, RESPONSES, Json, Shape, chat, event, message, response, streamed
from tests.replay.targets.test_contract import CONTEXT

PARAMETERS = {"type": "object", "properties": {"order": {"type": "integer"}}}
TOOL = Tool(name="find_order", description="Finds an order.", parameters=PARAMETERS)
ASKED = Message(role="user", content="Where is order 7?")
SCRIPT = (ToolResult(name="find_order", arguments={"order": 7}, result="shipped"),)
WITH_TOOLS = Case(id="c1", input=(ASKED,), tools=(TOOL,), tool_results=SCRIPT)
PICTURE = Message(
    role="user", content="This:\nWhat?",
    parts=(Text(text="This:"), Image(url="https://example.com/sign.png"), Text(text="What?")),
)  # fmt: skip
CALLED = ToolCall(id="t-0", name="find_order", arguments='{"order": 7}')
HISTORY = (
    Message(role="system", content="Be kind."),
    ASKED,
    Message(
        role="assistant", content="", tool_calls=(ToolCall(id="t-0", name="find_order", arguments='{"order": 7}'),)
    ),
    Message(role="tool", content="shipped", tool_call_id="t-0"),
    Message(role="assistant", content="It is shipped."),
    Message(role="user", content="When?"),
)
protocols = pytest.mark.parametrize("shape", [CHAT, RESPONSES, MESSAGES], ids=lambda shape: shape.name)


def calling(shape: Shape, arguments: str = '{"order": 7}') -> Json:
    """The document in which the model calls the tool."""
    if shape.name == "chat":
        call = {"id": "t-1", "type": "function", "function": {"name": "find_order", "arguments": arguments}}
        return chat("", "tool_calls", tool_calls=[call])
    if shape.name == "responses":
        call = {"type": "function_call", "call_id": "t-1", "name": "find_order", "arguments": arguments}
        return response("", output=[{"type": "reasoning", "id": "rs-1", "encrypted_content": "x"}, call])
    block = {"type": "tool_use", "id": "t-1", "name": "find_order", "input": json.loads(arguments)}
    return message("", "tool_use", content=[{"type": "text", "text": "I look."}, block])


def converse(shape: Shape, what: Case, *documents: Json, **changes: Any) -> tuple[Reply | CallError, list[Json]]:
    """Ask a server that answers with these documents, the last one again and again."""

    async def asked() -> tuple[Reply | CallError, list[Json]]:
        left = list(documents)

        async def behave(_request: web.Request) -> web.StreamResponse:
            return web.json_response(left.pop(0) if len(left) > 1 else left[0])

        async with FaultyServer(behave) as server:
            target = shape.build(server.address, **changes)
            try:
                return await target.call(what, 0, CONTEXT), server.asked
            except CallError as error:
                return error, server.asked
            finally:
                await target.aclose()

    return asyncio.run(asked())


@protocols
def test_a_call_of_a_tool_gets_its_scripted_result_until_there_is_an_answer(shape: Shape) -> None:
    reply, asked = converse(shape, WITH_TOOLS, calling(shape), shape.answer("It is shipped."))
    assert isinstance(reply, Reply)
    assert reply.text == "It is shipped."
    assert reply.tool_calls == (ToolCall(id="t-1", name="find_order", arguments='{"order": 7}', result="shipped"),)
    assert (reply.input_tokens, reply.output_tokens) == (20, 4)
    assert reply.reported["tool_calls"] == "1"
    assert len(asked) == 2
    assert "shipped" in json.dumps(asked[1])


def test_the_result_goes_back_as_each_protocol_has_it() -> None:
    _, asked = converse(CHAT, WITH_TOOLS, calling(CHAT), chat("It is shipped."))
    assert asked[0]["tools"] == [
        {
            "type": "function",
            "function": {"name": "find_order", "description": "Finds an order.", "parameters": PARAMETERS},
        }
    ]
    assert [each["role"] for each in asked[1]["messages"]] == ["user", "assistant", "tool"]
    assert asked[1]["messages"][1]["tool_calls"][0]["id"] == "t-1"
    assert asked[1]["messages"][2] == {"role": "tool", "tool_call_id": "t-1", "content": "shipped"}

    _, asked = converse(RESPONSES, WITH_TOOLS, calling(RESPONSES), response("It is shipped."))
    assert asked[0]["tools"][0]["parameters"] == PARAMETERS
    assert asked[0]["store"] is False
    assert [each.get("type", "message") for each in asked[1]["input"]] == [
        "message", "reasoning", "function_call", "function_call_output",
    ]  # fmt: skip
    assert asked[1]["input"][-1] == {"type": "function_call_output", "call_id": "t-1", "output": "shipped"}

    _, asked = converse(MESSAGES, WITH_TOOLS, calling(MESSAGES), message("It is shipped."))
    assert asked[0]["tools"] == [{"name": "find_order", "description": "Finds an order.", "input_schema": PARAMETERS}]
    assert [block["type"] for block in asked[1]["messages"][1]["content"]] == ["text", "tool_use"]
    assert asked[1]["messages"][2] == {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "t-1", "content": "shipped"}],
    }


@protocols
def test_a_call_that_the_script_does_not_know_is_told_so_and_counted(shape: Shape) -> None:
    reply, asked = converse(shape, WITH_TOOLS, calling(shape, '{"order": 8}'), shape.answer("I do not know."))
    assert isinstance(reply, Reply)
    assert [call.result for call in reply.tool_calls] == [None]
    assert reply.reported["unscripted_tool_calls"] == "1"
    assert "this tool has no result" in json.dumps(asked[1])


@protocols
def test_a_model_that_never_answers_is_stopped(shape: Shape) -> None:
    error, asked = converse(shape, WITH_TOOLS, calling(shape), max_tool_rounds=3)
    assert isinstance(error, CallError)
    assert (error.error_class, error.retryable, len(asked)) == ("tool_loop", False, 4)


@protocols
def test_without_a_script_the_calls_are_the_answer(shape: Shape) -> None:
    what = Case(id="c1", input=(ASKED,), tools=(TOOL,))
    reply, asked = converse(shape, what, calling(shape))
    assert isinstance(reply, Reply)
    assert len(asked) == 1
    assert [(call.name, call.result) for call in reply.tool_calls] == [("find_order", None)]
    expected = "I look." if shape is MESSAGES else '{"name": "find_order", "arguments": {"order": 7}}'
    assert reply.text == expected
    assert "unscripted_tool_calls" not in reply.reported


@pytest.mark.parametrize("shape", [CHAT, MESSAGES], ids=lambda shape: shape.name)
def test_a_streamed_call_of_a_tool_is_put_together(shape: Shape) -> None:
    pieces = ['{"or', 'der"', ": 7}"]
    if shape is CHAT:
        deltas = [{"index": 0, "id": "t-1", "function": {"name": "find_order", "arguments": ""}}]
        deltas += [{"index": 0, "function": {"arguments": piece}} for piece in pieces]
        events = [event({"choices": [{"index": 0, "delta": {"tool_calls": [delta]}}]}) for delta in deltas]
        events += [event({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}), event("[DONE]")]
    else:
        block = {"type": "tool_use", "id": "t-1", "name": "find_order", "input": {}}
        told: list[Json] = [{"type": "message_start", "message": message("", content=[])}]
        told += [{"type": "content_block_start", "index": 0, "content_block": block}]
        told += [
            {"type": "content_block_delta", "index": 0, "delta": {"type": "input_json_delta", "partial_json": piece}}
            for piece in pieces
        ]
        told += [{"type": "message_delta", "delta": {"stop_reason": "tool_use"}}, {"type": "message_stop"}]
        events = [event(each, each["type"]) for each in told]

    async def asked() -> Reply:
        async with FaultyServer(faulty.cut_stream(events, abort=False)) as server:
            target = streamed(shape).build(server.address)
            try:
                return await target.call(Case(id="c", input=(ASKED,), tools=(TOOL,)), 0, CONTEXT)
            finally:
                await target.aclose()

    reply = asyncio.run(asked())
    assert reply.tool_calls == (ToolCall(id="t-1", name="find_order", arguments='{"order": 7}'),)
    assert reply.ttft_ms is not None


def test_images_are_sent_by_their_url_as_each_protocol_has_them() -> None:
    what, url = Case(id="c", input=(PICTURE,)), "https://example.com/sign.png"
    _, asked = converse(CHAT, what, chat("A sign."))
    assert asked[0]["messages"][0]["content"][1] == {"type": "image_url", "image_url": {"url": url}}
    _, asked = converse(RESPONSES, what, response("A sign."))
    assert asked[0]["input"][0]["content"][0] == {"type": "input_text", "text": "This:"}
    assert asked[0]["input"][0]["content"][1] == {"type": "input_image", "image_url": url}
    _, asked = converse(MESSAGES, what, message("A sign."))
    assert asked[0]["messages"][0]["content"][1] == {"type": "image", "source": {"type": "url", "url": url}}


def test_every_turn_of_a_conversation_is_sent() -> None:
    what = Case(id="c", input=HISTORY)
    _, asked = converse(CHAT, what, chat("On Monday."), system_prompt="Be brief.")
    roles = [each["role"] for each in asked[0]["messages"]]
    assert roles == ["system", "system", "user", "assistant", "tool", "assistant", "user"]
    _, asked = converse(RESPONSES, what, response("On Monday."), system_prompt="Be brief.")
    assert asked[0]["instructions"] == "Be brief."
    kinds = [each.get("type") or each["role"] for each in asked[0]["input"]]
    assert kinds == ["system", "user", "function_call", "function_call_output", "assistant", "user"]
    _, asked = converse(MESSAGES, what, message("On Monday."), system_prompt="Be brief.")
    assert asked[0]["system"] == "Be brief.\n\nBe kind."
    assert [each["role"] for each in asked[0]["messages"]] == ["user", "assistant", "user", "assistant", "user"]
    assert asked[0]["max_tokens"] == 4096


@protocols
def test_parameters_that_are_not_set_are_not_sent(shape: Shape) -> None:
    _, asked = converse(shape, Case(id="c", input=(ASKED,)), shape.answer("Yes."))
    assert set(asked[0]) - {"model", "messages", "input", "store", "max_tokens"} == set()


def test_a_refusal_is_an_answer_that_says_so() -> None:
    part = {"type": "refusal", "refusal": "I cannot help with that."}
    document = response("", output=[{"type": "message", "content": [part]}])
    reply, _ = converse(RESPONSES, Case(id="c", input=(ASKED,)), document)
    assert isinstance(reply, Reply)
    assert (reply.text, reply.reported["refusal"]) == ("I cannot help with that.", "true")


@pytest.mark.parametrize(
    ("document", "finish_reason"),
    [
        (response("Yes", status="incomplete", incomplete_details={"reason": "max_output_tokens"}), "length"),
        (response("Yes"), "stop"),
    ],
)
def test_how_a_response_ended_is_told_in_one_word(document: Json, finish_reason: str) -> None:
    reply, _ = converse(RESPONSES, Case(id="c", input=(ASKED,)), document)
    assert isinstance(reply, Reply)
    assert reply.finish_reason == finish_reason


def test_a_response_that_failed_is_a_failure_of_the_server() -> None:
    document = response("", status="failed", output=[], error={"code": "server_error", "message": "it broke"})
    error, _ = converse(RESPONSES, Case(id="c", input=(ASKED,)), document)
    assert isinstance(error, CallError)
    assert (error.error_class, str(error)) == ("server_error", "it broke")
