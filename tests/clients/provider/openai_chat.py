"""OpenAI's chat completions, which many other providers also offer."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.provider.answers import pieces
from tests.clients.provider.api import Failure, Wire
from tests.clients.provider.call import Answer, Message, ModelRequest, ModelResponse, Tool


class OpenAIChat:
    name = "openai chat completions"

    def takes(self, path: str) -> bool:
        return path.endswith("/chat/completions")

    def read(self, path: str, body: Mapping[str, Any]) -> ModelRequest:
        messages = [_message(one) for one in body["messages"]]
        system = [m.text for m in messages if m.role in ("system", "developer")]
        return ModelRequest(
            model=body["model"],
            system="\n".join(system) if system else None,
            messages=tuple(m for m in messages if m.role not in ("system", "developer")),
            stream=bool(body.get("stream")),
            tools=tuple(tool["function"]["name"] for tool in body.get("tools") or ()),
            temperature=body.get("temperature"),
            top_p=body.get("top_p"),
            max_tokens=body.get("max_tokens") or body.get("max_completion_tokens"),
            seed=body.get("seed"),
            options={"usage": (body.get("stream_options") or {}).get("include_usage", False)},
        )

    def write(self, request: ModelRequest, answer: Answer) -> tuple[Wire, ModelResponse]:
        counted = not request.stream or request.options["usage"]
        response = ModelResponse(
            response_id=f"chatcmpl-{answer.id}",
            response_model=answer.model,
            system_fingerprint=answer.fingerprint,
            finish_reason=answer.finish.value,
            text=answer.text,
            tool=answer.tool,
            input_tokens=answer.input_tokens if counted else None,
            output_tokens=answer.output_tokens if counted else None,
            cached_input_tokens=answer.cached_tokens if counted else None,
            reasoning_tokens=answer.reasoning_tokens if counted else None,
        )
        if request.stream:
            return Wire("text/event-stream", _events(answer, usage=counted)), response
        return Wire("application/json", iter([json.dumps(_whole(answer)).encode()])), response

    def fail(self, failure: Failure) -> Mapping[str, Any]:
        return {"error": {"message": failure.message, "type": failure.kind, "param": None, "code": failure.kind}}


def text_of(content: Any) -> str:
    """Return the text of a message: text, or parts of which some are text."""
    if isinstance(content, str):
        return content
    return "\n".join(part["text"] for part in content or () if "text" in part)


def _message(one: Mapping[str, Any]) -> Message:
    tools = tuple(
        Tool(id=call.get("id"), name=call["function"]["name"], arguments=call["function"]["arguments"])
        for call in one.get("tool_calls") or ()
    )
    return Message(role=one["role"], text=text_of(one.get("content")), tools=tools)


def _usage(answer: Answer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.input_tokens,
        "completion_tokens": answer.output_tokens,
        "total_tokens": answer.input_tokens + answer.output_tokens,
        "prompt_tokens_details": {"cached_tokens": answer.cached_tokens, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": answer.reasoning_tokens, "audio_tokens": 0},
    }


def _tool_calls(answer: Answer) -> dict[str, Any]:
    if answer.tool is None:
        return {}
    function = {"name": answer.tool.name, "arguments": answer.tool.arguments}
    return {"tool_calls": [{"id": answer.tool.id, "type": "function", "function": function}]}


def _head(answer: Answer, kind: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{answer.id}",
        "object": kind,
        "created": answer.created,
        "model": answer.model,
        "service_tier": "default",
        "system_fingerprint": answer.fingerprint,
    }


def _whole(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": answer.text or None, "refusal": None, "annotations": []}
    choice = {"index": 0, "message": message | _tool_calls(answer), "logprobs": None, "finish_reason": answer.finish}
    return _head(answer, "chat.completion") | {"choices": [choice], "usage": _usage(answer)}


def _deltas(answer: Answer) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": None if answer.tool else "", "refusal": None}
    if answer.tool is None:
        yield from ({"content": piece} for piece in pieces(answer.text))
        return
    call = _tool_calls(answer)["tool_calls"][0] | {"index": 0}
    yield {"tool_calls": [call | {"function": {"name": answer.tool.name, "arguments": ""}}]}
    for place in range(0, len(answer.tool.arguments), 8):
        yield {"tool_calls": [{"index": 0, "function": {"arguments": answer.tool.arguments[place : place + 8]}}]}


def _events(answer: Answer, *, usage: bool) -> Iterator[bytes]:
    head = _head(answer, "chat.completion.chunk") | ({"usage": None} if usage else {})
    for delta in _deltas(answer):
        yield event(head | {"choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]})
    last = {"index": 0, "delta": {}, "logprobs": None, "finish_reason": answer.finish}
    yield event(head | {"choices": [last]})
    if usage:
        yield event(head | {"choices": [], "usage": _usage(answer)})
    yield b"data: [DONE]\n\n"


def event(data: Mapping[str, Any], name: str | None = None) -> bytes:
    """Return one server-sent event."""
    first = f"event: {name}\n" if name else ""
    return f"{first}data: {json.dumps(data)}\n\n".encode()
