"""Amazon Bedrock's Converse and ConverseStream, whose answers do not name a model."""

import json
import re
import struct
import zlib
from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import unquote

from tests.clients.provider.answers import pieces
from tests.clients.provider.api import Failure, Wire
from tests.clients.provider.call import Answer, Message, ModelRequest, ModelResponse, Tool

PATH: Final = re.compile(r"/model/([^/]+)/(converse|converse-stream)$")
KINDS: Final = {400: "ValidationException", 429: "ThrottlingException"}


class Bedrock:
    name = "bedrock converse"

    def takes(self, path: str) -> bool:
        return PATH.search(path) is not None

    def read(self, path: str, body: Mapping[str, Any]) -> ModelRequest:
        found = PATH.search(path)
        assert found is not None
        options = body.get("inferenceConfig") or {}
        system = "\n".join(block["text"] for block in body.get("system") or () if "text" in block)
        tools = (body.get("toolConfig") or {}).get("tools") or ()
        return ModelRequest(
            model=unquote(found[1]),
            system=system or None,
            messages=tuple(message for one in body["messages"] for message in _messages(one)),
            stream=found[2] == "converse-stream",
            tools=tuple(tool["toolSpec"]["name"] for tool in tools),
            temperature=options.get("temperature"),
            top_p=options.get("topP"),
            max_tokens=options.get("maxTokens"),
        )

    def write(self, request: ModelRequest, answer: Answer) -> tuple[Wire, ModelResponse]:
        response = ModelResponse(
            finish_reason=_reason(answer),
            text=answer.text,
            tool=answer.tool,
            input_tokens=answer.input_tokens,
            output_tokens=answer.output_tokens,
        )
        if request.stream:
            return Wire("application/vnd.amazon.eventstream", _events(answer)), response
        whole = {
            "output": {"message": {"role": "assistant", "content": [_block(answer)]}},
            "stopReason": _reason(answer),
            "usage": _usage(answer),
            "metrics": {"latencyMs": 1},
        }
        return Wire("application/json", iter([json.dumps(whole).encode()])), response

    def fail(self, failure: Failure) -> Mapping[str, Any]:
        return {"__type": KINDS.get(failure.http_status, "InternalServerException"), "message": failure.message}


def _messages(one: Mapping[str, Any]) -> Iterator[Message]:
    blocks = one["content"]
    for block in blocks:
        if "toolResult" in block:
            parts = block["toolResult"]["content"]
            yield Message(role="tool", text="\n".join(part["text"] for part in parts if "text" in part))
    uses = [block["toolUse"] for block in blocks if "toolUse" in block]
    tools = tuple(Tool(id=use["toolUseId"], name=use["name"], arguments=json.dumps(use["input"])) for use in uses)
    text = "\n".join(block["text"] for block in blocks if "text" in block)
    if text or tools:
        yield Message(role=one["role"], text=text, tools=tools)


def _reason(answer: Answer) -> str:
    return "tool_use" if answer.tool else "end_turn"


def _usage(answer: Answer) -> dict[str, Any]:
    total = answer.input_tokens + answer.output_tokens
    return {"inputTokens": answer.input_tokens, "outputTokens": answer.output_tokens, "totalTokens": total}


def _block(answer: Answer) -> dict[str, Any]:
    if answer.tool is None:
        return {"text": answer.text}
    use = {"toolUseId": answer.tool.id, "name": answer.tool.name, "input": json.loads(answer.tool.arguments)}
    return {"toolUse": use}


def _events(answer: Answer) -> Iterator[bytes]:
    yield _event("messageStart", {"role": "assistant"})
    if answer.tool is not None:
        start = {"toolUse": {"toolUseId": answer.tool.id, "name": answer.tool.name}}
        yield _event("contentBlockStart", {"start": start, "contentBlockIndex": 0})
        deltas: list[dict[str, Any]] = [{"toolUse": {"input": answer.tool.arguments}}]
    else:
        deltas = [{"text": piece} for piece in pieces(answer.text)]
    for delta in deltas:
        yield _event("contentBlockDelta", {"delta": delta, "contentBlockIndex": 0})
    yield _event("contentBlockStop", {"contentBlockIndex": 0})
    yield _event("messageStop", {"stopReason": _reason(answer)})
    yield _event("metadata", {"usage": _usage(answer), "metrics": {"latencyMs": 1}})


def _event(kind: str, payload: Mapping[str, Any]) -> bytes:
    """Return one message of the event stream: lengths, headers and payload, each part with its checksum."""
    named = {":event-type": kind, ":content-type": "application/json", ":message-type": "event"}
    headers = b"".join(_header(name, value) for name, value in named.items())
    body = json.dumps(payload).encode()
    prelude = struct.pack(">II", 16 + len(headers) + len(body), len(headers))
    message = prelude + struct.pack(">I", zlib.crc32(prelude)) + headers + body
    return message + struct.pack(">I", zlib.crc32(message))


def _header(name: str, value: str) -> bytes:
    text = value.encode()
    return struct.pack(">B", len(name)) + name.encode() + b"\x07" + struct.pack(">H", len(text)) + text
