"""Anthropic's Messages API. Its input tokens exclude cached tokens; driftd includes them."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.provider.answers import pieces
from tests.clients.provider.api import Failure, Wire
from tests.clients.provider.call import Answer, Message, ModelRequest, ModelResponse, Tool
from tests.clients.provider.openai_chat import event, text_of


class AnthropicMessages:
    name = "anthropic messages"

    def takes(self, path: str) -> bool:
        return path.endswith("/messages")

    def read(self, path: str, body: Mapping[str, Any]) -> ModelRequest:
        return ModelRequest(
            model=body["model"],
            system=text_of(body["system"]) if body.get("system") else None,
            messages=tuple(message for one in body["messages"] for message in _messages(one)),
            stream=bool(body.get("stream")),
            tools=tuple(tool["name"] for tool in body.get("tools") or ()),
            temperature=body.get("temperature"),
            top_p=body.get("top_p"),
            max_tokens=body["max_tokens"],
        )

    def write(self, request: ModelRequest, answer: Answer) -> tuple[Wire, ModelResponse]:
        response = ModelResponse(
            response_id=f"msg_{answer.id}",
            response_model=answer.model,
            finish_reason=_reason(answer),
            text=answer.text,
            tool=answer.tool,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cached_input_tokens=answer.cached_tokens,
        )
        if request.stream:
            return Wire("text/event-stream", _events(answer)), response
        whole = _message_of(answer) | {"content": [_block(answer)], "stop_reason": _reason(answer)}
        return Wire("application/json", iter([json.dumps(whole).encode()])), response

    def fail(self, failure: Failure) -> Mapping[str, Any]:
        return {"type": "error", "error": {"type": failure.kind, "message": failure.message}, "request_id": "req_1"}


def _messages(one: Mapping[str, Any]) -> Iterator[Message]:
    """Yield the messages. Tool results are blocks of a user message here, and separate messages in other APIs."""
    content = one["content"]
    if isinstance(content, str):
        yield Message(role=one["role"], text=content)
        return
    for block in content:
        if block["type"] == "tool_result":
            yield Message(role="tool", text=text_of(block.get("content")))
    tools = tuple(
        Tool(id=block["id"], name=block["name"], arguments=json.dumps(block["input"]))
        for block in content
        if block["type"] == "tool_use"
    )
    text = "\n".join(block["text"] for block in content if block["type"] == "text")
    if text or tools:
        yield Message(role=one["role"], text=text, tools=tools)


def _reason(answer: Answer) -> str:
    return "tool_use" if answer.tool else "end_turn"


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "input_tokens": answer.input_tokens - answer.cached_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": answer.cached_tokens,
        "output_tokens": answer.output_tokens,
        "service_tier": "standard",
    }


def _message_of(answer: Answer) -> dict[str, Any]:
    return {
        "id": f"msg_{answer.id}",
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": _usage(answer),
    }


def _block(answer: Answer) -> dict[str, Any]:
    if answer.tool is None:
        return {"type": "text", "text": answer.text}
    arguments = json.loads(answer.tool.arguments)
    return {"type": "tool_use", "id": answer.tool.id, "name": answer.tool.name, "input": arguments}


def _events(answer: Answer) -> Iterator[bytes]:
    opened = _message_of(answer)
    opened["usage"] |= {"output_tokens": 1}
    empty = {"type": "text", "text": ""} if answer.tool is None else _block(answer) | {"input": {}}
    yield event({"type": "message_start", "message": opened}, "message_start")
    yield event({"type": "content_block_start", "index": 0, "content_block": empty}, "content_block_start")
    yield event({"type": "ping"}, "ping")
    for delta in _deltas(answer):
        yield event({"type": "content_block_delta", "index": 0, "delta": delta}, "content_block_delta")
    yield event({"type": "content_block_stop", "index": 0}, "content_block_stop")
    last = {"stop_reason": _reason(answer), "stop_sequence": None}
    yield event({"type": "message_delta", "delta": last, "usage": _usage(answer)}, "message_delta")
    yield event({"type": "message_stop"}, "message_stop")


def _deltas(answer: Answer) -> Iterator[dict[str, Any]]:
    if answer.tool is None:
        yield from ({"type": "text_delta", "text": piece} for piece in pieces(answer.text))
        return
    text = answer.tool.arguments
    for place in range(0, len(text), 8):
        yield {"type": "input_json_delta", "partial_json": text[place : place + 8]}
