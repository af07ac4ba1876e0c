"""The HTTP shapes of targets: what each is answered with, whole and streamed, and how each is built."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from replay.targets.base import Target
from replay.targets.http_request import RequestSettings
from replay.targets.table import build_target

KEY = "sk-very-secret"
MODEL = "gpt-4-0314"
Json = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """`answer` gives the document for a text and how it ended; `stream` its events; `asked` the user's text it got."""

    name: str
    kind: str
    path: str
    options: Mapping[str, Any]
    answer: Callable[[str], Json]
    filtered: Callable[[], Json]
    asked: Callable[[Json], str]
    prompt: Callable[[Json], str | None]
    stream: Callable[[str], list[bytes]] | None = None

    @property
    def streams(self) -> bool:
        return bool(self.options.get("stream"))

    def build(self, address: str, **changes: Any) -> Target:
        """A target of `http://127.0.0.1:PORT`."""
        where = {"base_url": f"{address}/v1", "model": "gpt-4"} if self.kind != "http" else {}
        return build_target(self.kind, {"api_key": KEY, "timeout_s": 10.0, **where, **self.made(address), **changes})

    def made(self, address: str) -> Json:
        return {name: value(address) if callable(value) else value for name, value in self.options.items()}


def event(document: Json | str, name: str = "") -> bytes:
    data = document if isinstance(document, str) else json.dumps(document)
    return (f"event: {name}\n" if name else "").encode() + f"data: {data}\n\n".encode()


def chat(text: str, finish_reason: str = "stop", **message: Any) -> Json:
    return {
        "id": "r-1",
        "created": 1678838400,
        "model": MODEL,
        "system_fingerprint": "fp_1",
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": text, **message}, "finish_reason": finish_reason}
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 2},
    }


def chat_stream(text: str, finish_reason: str = "stop") -> list[bytes]:
    head = {"id": "r-1", "created": 1678838400, "model": MODEL, "system_fingerprint": "fp_1"}
    pieces = [{"role": "assistant", "content": ""}, *({"content": piece} for piece in _pieces(text))]
    chunks: list[Json] = [{**head, "choices": [{"index": 0, "delta": piece}]} for piece in pieces]
    chunks.append({**head, "choices": [{"index": 0, "delta": {}, "finish_reason": finish_reason}]})
    chunks.append({**head, "choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 2}})
    return [*(event(chunk) for chunk in chunks), event("[DONE]")]


def response(text: str, **changes: Any) -> Json:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "id": "r-1",
        "object": "response",
        "created_at": 1678838400,
        "model": MODEL,
        "status": "completed",
        "output": [
            {"type": "reasoning", "id": "rs-1", "summary": []},
            {"type": "message", "id": "m-1", "role": "assistant", "status": "completed", "content": content},
        ],
        "usage": {"input_tokens": 10, "output_tokens": 2},
    } | changes


def response_stream(text: str) -> list[bytes]:
    deltas = [{"type": "response.output_text.delta", "delta": piece} for piece in _pieces(text)]
    told: list[Json] = [
        {"type": "response.created", "response": response("", status="in_progress", output=[])},
        *deltas,
        {"type": "response.completed", "response": response(text)},
    ]
    return [event(each, each["type"]) for each in told]


def message(text: str, stop_reason: str | None = "end_turn", **changes: Any) -> Json:
    return {
        "id": "r-1",
        "type": "message",
        "role": "assistant",
        "model": MODEL,
        "content": [{"type": "text", "text": text}],
        "stop_reason": stop_reason,
        "usage": {"input_tokens": 6, "cache_read_input_tokens": 4, "output_tokens": 2},
    } | changes


def message_stream(text: str) -> list[bytes]:
    start = message("", content=[], stop_reason=None) | {"usage": {"input_tokens": 10, "output_tokens": 1}}
    told: list[Json] = [
        {"type": "message_start", "message": start},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        *(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
            for piece in _pieces(text)
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ]
    return [event(each, each["type"]) for each in told]


def application(text: str) -> Json:
    usage = {"in": 10, "out": 2}
    return {"result": {"answer": text}, "usage": usage, "build": {"model": MODEL, "id": "fp_1"}, "at": 1678838400}


def _pieces(text: str) -> list[str]:
    return [text[i : i + 4] for i in range(0, len(text), 4)]


def _last_text(body: Json) -> str:
    return str(body["messages"][-1]["content"])


def _system(body: Json) -> str | None:
    first = body["messages"][0]
    return first["content"] if first["role"] == "system" else None


def _paths() -> dict[str, str]:
    return {
        "model": "$.build.model",
        "system_fingerprint": "$.build.id",
        "reported_at": "$.at",
        "input_tokens": "$.usage.in",
        "output_tokens": "$.usage.out",
    }


def _request(address: str) -> Any:
    body = '{"q": {{ question | tojson }}, "system": {{ system | tojson }}, "who": {{ messages | tojson }}}'
    return RequestSettings(url=f"{address}/v1/ask", body=body)


CHAT = Shape(
    name="chat", kind="openai", path="/v1/chat/completions", options={}, answer=chat, asked=_last_text, prompt=_system,
    filtered=lambda: chat("", "content_filter"), stream=chat_stream,
)  # fmt: skip
RESPONSES = Shape(
    name="responses", kind="openai", path="/v1/responses", options={"api": "responses"}, answer=response,
    asked=lambda body: str(body["input"][-1]["content"]), prompt=lambda body: body.get("instructions"),
    filtered=lambda: response("", status="incomplete", incomplete_details={"reason": "content_filter"}, output=[]),
    stream=response_stream,
)  # fmt: skip
MESSAGES = Shape(
    name="messages", kind="anthropic", path="/v1/messages", options={}, answer=message, asked=_last_text,
    prompt=lambda body: body.get("system"), filtered=lambda: message("", "refusal"), stream=message_stream,
)  # fmt: skip
APPLICATION = Shape(
    name="http", kind="http", path="/v1/ask",
    options={"request": _request, "answer": "$.result.answer", "paths": lambda _address: _paths()},
    answer=application, asked=lambda body: str(body["q"]), prompt=lambda body: body["system"],
    filtered=lambda: {"error": {"code": "content_filter", "message": "withheld"}},
)  # fmt: skip


def streamed(shape: Shape) -> Shape:
    return replace(shape, name=f"{shape.name} streamed", options={**shape.options, "stream": True})


STREAMED = [streamed(shape) for shape in (CHAT, RESPONSES, MESSAGES)]
SHAPES = [CHAT, RESPONSES, MESSAGES, APPLICATION, *STREAMED]
