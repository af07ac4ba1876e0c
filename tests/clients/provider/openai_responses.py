"""OpenAI's Responses API."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from tests.clients.provider.answers import pieces
from tests.clients.provider.api import Failure, Wire
from tests.clients.provider.call import Answer, Message, ModelRequest, ModelResponse, Tool
from tests.clients.provider.openai_chat import OpenAIChat, event, text_of


class OpenAIResponses:
    name = "openai responses"

    def takes(self, path: str) -> bool:
        return path.endswith("/responses")

    def read(self, path: str, body: Mapping[str, Any]) -> ModelRequest:
        given = body["input"]
        items = [{"role": "user", "content": given}] if isinstance(given, str) else given
        messages = [found for found in map(_message, items) if found]
        system = [body["instructions"]] if body.get("instructions") else []
        system += [m.text for m in messages if m.role in ("system", "developer")]
        return ModelRequest(
            model=body["model"],
            system="\n".join(system) if system else None,
            messages=tuple(m for m in messages if m.role not in ("system", "developer")),
            stream=bool(body.get("stream")),
            tools=tuple(tool["name"] for tool in body.get("tools") or () if "name" in tool),
            temperature=body.get("temperature"),
            top_p=body.get("top_p"),
            max_tokens=body.get("max_output_tokens"),
            options={key: body.get(key) for key in ("instructions", "tools", "previous_response_id", "metadata")},
        )

    def write(self, request: ModelRequest, answer: Answer) -> tuple[Wire, ModelResponse]:
        response = ModelResponse(
            response_id=f"resp_{answer.id}",
            response_model=answer.model,
            finish_reason="completed",
            text=answer.text,
            tool=answer.tool,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cached_input_tokens=answer.cached_tokens,
            reasoning_tokens=answer.reasoning_tokens,
        )
        if request.stream:
            return Wire("text/event-stream", _events(request, answer)), response
        whole = _response(request, answer, [_item(answer, answer.text)], "completed")
        return Wire("application/json", iter([json.dumps(whole).encode()])), response

    def fail(self, failure: Failure) -> Mapping[str, Any]:
        return OpenAIChat().fail(failure)


def _message(item: Mapping[str, Any]) -> Message | None:
    kind = item.get("type", "message")
    if kind == "function_call":
        tool = Tool(id=item["call_id"], name=item["name"], arguments=item["arguments"])
        return Message(role="assistant", text="", tools=(tool,))
    if kind == "function_call_output":
        return Message(role="tool", text=text_of(item["output"]))
    return Message(role=item["role"], text=text_of(item["content"])) if kind == "message" else None


def _item(answer: Answer, text: str, status: str = "completed") -> dict[str, Any]:
    if answer.tool is not None:
        head = {"type": "function_call", "id": f"fc_{answer.id}", "call_id": answer.tool.id, "status": status}
        return head | {"name": answer.tool.name, "arguments": answer.tool.arguments if text or status else ""}
    part = {"type": "output_text", "text": text, "annotations": [], "logprobs": []}
    content = [part] if text else []
    return {"type": "message", "id": f"msg_{answer.id}", "status": status, "role": "assistant", "content": content}


def _response(request: ModelRequest, answer: Answer, output: list[dict[str, Any]], status: str) -> dict[str, Any]:
    usage = {
        "input_tokens": answer.input_tokens,
        "input_tokens_details": {"cached_tokens": answer.cached_tokens},
        "output_tokens": answer.output_tokens,
        "output_tokens_details": {"reasoning_tokens": answer.reasoning_tokens},
        "total_tokens": answer.input_tokens + answer.output_tokens,
    }
    return {
        "id": f"resp_{answer.id}",
        "object": "response",
        "created_at": answer.created,
        "status": status,
        "background": False,
        "error": None,
        "incomplete_details": None,
        "instructions": request.options["instructions"],
        "max_output_tokens": request.max_tokens,
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": True,
        "previous_response_id": request.options["previous_response_id"],
        "reasoning": {"effort": None, "summary": None},
        "service_tier": "default",
        "store": True,
        "temperature": 1.0 if request.temperature is None else request.temperature,
        "text": {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": "auto",
        "tools": request.options["tools"] or [],
        "top_p": 1.0 if request.top_p is None else request.top_p,
        "truncation": "disabled",
        "usage": usage if status == "completed" else None,
        "user": None,
        "metadata": request.options["metadata"] or {},
    }


def _steps(request: ModelRequest, answer: Answer) -> Iterator[dict[str, Any]]:
    opened = _response(request, answer, [], "in_progress")
    yield {"type": "response.created", "response": opened}
    yield {"type": "response.in_progress", "response": opened}
    item = _item(answer, answer.text)
    at = {"output_index": 0, "item_id": item["id"]}
    if answer.tool is not None:
        begun = item | {"arguments": "", "status": "in_progress"}
        yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
        for place in range(0, len(answer.tool.arguments), 8):
            piece = answer.tool.arguments[place : place + 8]
            yield {"type": "response.function_call_arguments.delta", **at, "delta": piece}
        done = {"arguments": answer.tool.arguments, "name": answer.tool.name}
        yield {"type": "response.function_call_arguments.done", **at, **done}
    else:
        begun = _item(answer, "", "in_progress")
        part = {"type": "output_text", "text": "", "annotations": [], "logprobs": []}
        yield {"type": "response.output_item.added", "output_index": 0, "item": begun}
        yield {"type": "response.content_part.added", **at, "content_index": 0, "part": part}
        for piece in pieces(answer.text):
            yield {"type": "response.output_text.delta", **at, "content_index": 0, "delta": piece, "logprobs": []}
        yield {"type": "response.output_text.done", **at, "content_index": 0, "text": answer.text, "logprobs": []}
        whole = part | {"text": answer.text}
        yield {"type": "response.content_part.done", **at, "content_index": 0, "part": whole}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": _response(request, answer, [item], "completed")}


def _events(request: ModelRequest, answer: Answer) -> Iterator[bytes]:
    for number, step in enumerate(_steps(request, answer)):
        yield event(step | {"sequence_number": number}, step["type"])
