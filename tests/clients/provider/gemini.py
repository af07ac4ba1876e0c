"""Google's Gemini API: generateContent and streamGenerateContent."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from tests.clients.provider.answers import pieces
from tests.clients.provider.api import Failure, Wire
from tests.clients.provider.call import Answer, Message, ModelRequest, ModelResponse, Tool
from tests.clients.provider.openai_chat import event

PATH: Final = re.compile(r"/models/([^/:]+):(generateContent|streamGenerateContent)$")


class Gemini:
    name = "gemini generateContent"

    def takes(self, path: str) -> bool:
        return PATH.search(path) is not None

    def read(self, path: str, body: Mapping[str, Any]) -> ModelRequest:
        found = PATH.search(path)
        assert found is not None
        options = body.get("generationConfig") or {}
        system = body.get("systemInstruction") or body.get("system_instruction")
        declared = [one for tool in body.get("tools") or () for one in tool.get("functionDeclarations") or ()]
        return ModelRequest(
            model=found[1],
            system=_text(system["parts"]) if system else None,
            messages=tuple(message for one in body["contents"] for message in _messages(one)),
            stream=found[2] == "streamGenerateContent",
            tools=tuple(one["name"] for one in declared),
            temperature=options.get("temperature"),
            top_p=options.get("topP"),
            max_tokens=options.get("maxOutputTokens"),
            seed=options.get("seed"),
        )

    def write(self, request: ModelRequest, answer: Answer) -> tuple[Wire, ModelResponse]:
        response = ModelResponse(
            response_id=f"gem-{answer.id}",
            response_model=answer.model,
            finish_reason="STOP",
            text=answer.text,
            tool=answer.tool,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
            cached_input_tokens=answer.cached_tokens,
            reasoning_tokens=answer.reasoning_tokens,
        )
        if request.stream:
            return Wire("text/event-stream", _events(answer)), response
        whole = _chunk(answer, _part(answer), end=True)
        return Wire("application/json", iter([json.dumps(whole).encode()])), response

    def fail(self, failure: Failure) -> Mapping[str, Any]:
        word = {400: "INVALID_ARGUMENT", 429: "RESOURCE_EXHAUSTED"}.get(failure.http_status, "INTERNAL")
        return {"error": {"code": failure.http_status, "message": failure.message, "status": word}}


def _text(parts: list[Mapping[str, Any]]) -> str:
    return "\n".join(part["text"] for part in parts if part.get("text"))


def _messages(one: Mapping[str, Any]) -> Iterator[Message]:
    parts = one["parts"]
    for part in parts:
        if "functionResponse" in part:
            yield Message(role="tool", text=json.dumps(part["functionResponse"]["response"]))
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    tools = tuple(
        Tool(id=call.get("id"), name=call["name"], arguments=json.dumps(call.get("args") or {})) for call in calls
    )
    if _text(parts) or tools:
        role = "assistant" if one.get("role") == "model" else "user"
        yield Message(role=role, text=_text(parts), tools=tools)


def _part(answer: Answer) -> dict[str, Any]:
    if answer.tool is None:
        return {"text": answer.text}
    return {"functionCall": {"name": answer.tool.name, "args": json.loads(answer.tool.arguments)}}


def _chunk(answer: Answer, part: Mapping[str, Any], *, end: bool) -> dict[str, Any]:
    """Return a chunk. Thoughts are counted separately here; driftd counts them as output."""
    candidate = {"content": {"parts": [part], "role": "model"}, "index": 0}
    spoken = answer.output_tokens - answer.reasoning_tokens
    usage = {
        "promptTokenCount": answer.input_tokens,
        "candidatesTokenCount": spoken,
        "thoughtsTokenCount": answer.reasoning_tokens,
        "cachedContentTokenCount": answer.cached_tokens,
        "totalTokenCount": answer.input_tokens + answer.output_tokens,
    }
    return {
        "candidates": [candidate | ({"finishReason": "STOP"} if end else {})],
        "usageMetadata": usage if end else {"promptTokenCount": answer.input_tokens},
        "modelVersion": answer.model,
        "responseId": f"gem-{answer.id}",
    }


def _events(answer: Answer) -> Iterator[bytes]:
    parts = [_part(answer)] if answer.tool else [{"text": piece} for piece in pieces(answer.text)]
    for place, part in enumerate(parts):
        yield event(_chunk(answer, part, end=place == len(parts) - 1))
