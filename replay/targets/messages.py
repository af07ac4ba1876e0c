"""Anthropic's messages protocol: content is a list of blocks; the system prompt is a separate field."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from replay.targets.answer_fields import (
    Json,
    count,
    date_of,
    document_of,
    marks,
    object_or_empty,
    objects,
    text_or_none,
)
from replay.targets.chat import tools_of
from replay.targets.dialect import Parameters, Turn, given
from replay.targets.failure import ErrorClass, failed, failure_in_stream, one_line
from replay.targets.sse import Event
from replay.targets.tools import NO_RESULT
from replay.types import Case, Message, Reply, Text, ToolCall

API_VERSION = "2023-06-01"
MAX_TOKENS = 4096  # the protocol requires a limit
_ANSWER_TOKENS = "output_tokens"
_PROMPT_TOKENS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


class Messages:
    """The dialect of messages."""

    path = "/messages"
    thread = "messages"

    def headers(self, key: str | None) -> Mapping[str, str]:
        return {"anthropic-version": API_VERSION, **({} if key is None else {"x-api-key": key})}

    def body(self, parameters: Parameters, system: str | None, case: Case, *, stream: bool) -> Json:
        payload = [system, *(message.content for message in case.input if message.role == "system")]
        return {
            **given(
                model=parameters.model,
                system="\n\n".join(text for text in payload if text) or None,
                temperature=parameters.temperature,
                top_p=parameters.top_p,
                tools=tools_of(case, "input_schema") or None,
                stream=stream or None,
            ),
            "max_tokens": parameters.max_tokens or MAX_TOKENS,
            "messages": [_message(message) for message in case.input if message.role != "system"],
        }

    def read(self, document: Json, headers: Mapping[str, str], latency_ms: float) -> Turn:
        if document.get("type") == "error" or not isinstance(document.get("content"), list):
            keys = one_line(json.dumps(document.get("error"))) if "error" in document else ", ".join(sorted(document))
            raise failed(ErrorClass.MALFORMED_REPLY, one_line(f"the answer has no content, only: {keys}"))
        finish_reason = text_or_none(document.get("stop_reason"))
        if finish_reason == "refusal":
            raise failed(ErrorClass.CONTENT_FILTER, "the provider's content filter withheld the answer")
        blocks = objects(document["content"])
        texts = (block.get("text") for block in blocks if block.get("type") == "text")
        text = "".join(text for text in texts if isinstance(text, str))
        calls = tuple(_call(block) for block in blocks if block.get("type") == "tool_use")
        if not text.strip() and not calls:
            raise failed(ErrorClass.EMPTY_REPLY, f"the answer has no text (finish_reason {finish_reason})")
        usage = object_or_empty(document.get("usage"))
        reply = Reply(
            text=text,
            latency_ms=latency_ms,
            finish_reason=finish_reason,
            model=text_or_none(document.get("model")),
            reported_at=date_of(headers),
            response_id=text_or_none(document.get("id")),
            input_tokens=_sum(count(usage.get(name)) for name in _PROMPT_TOKENS),
            output_tokens=count(usage.get("output_tokens")),
            reported=marks(headers),
        )
        return Turn(reply=reply, calls=calls, written=[{"role": "assistant", "content": blocks}])

    def results(self, calls: Sequence[ToolCall]) -> list[Json]:
        """Return all results in one user message, as the protocol requires."""
        blocks = [
            {"type": "tool_result", "tool_use_id": call.id, "content": call.result or NO_RESULT} for call in calls
        ]
        return [{"role": "user", "content": blocks}]

    def fold(self) -> "MessagesAccumulator":
        return MessagesAccumulator()


class MessagesAccumulator:
    """Joins `message_start`, the deltas of each block, `message_delta` and `message_stop` to one message."""

    def __init__(self) -> None:
        self._message: Json = {}
        self._blocks: dict[int, Json] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}  # by block and field
        self._stopped = False

    def add(self, event: Event) -> bool:
        payload = document_of(event.data)
        match text_or_none(payload.get("type")) or event.name:
            case "error":
                raise failure_in_stream(payload.get("error") or payload)
            case "message_start":
                self._message = object_or_empty(payload.get("message"))
            case "content_block_start":
                self._blocks[_index(payload)] = {**object_or_empty(payload.get("content_block"))}
            case "content_block_delta":
                return self._add_delta(_index(payload), object_or_empty(payload.get("delta")))
            case "message_delta":
                self._message |= object_or_empty(payload.get("delta"))
                new_usage, usage = object_or_empty(payload.get("usage")), object_or_empty(self._message.get("usage"))
                known = {name: new_usage[name] for name in (*_PROMPT_TOKENS, _ANSWER_TOKENS) if name in new_usage}
                self._message["usage"] = usage | known
            case "message_stop":
                self._stopped = True
        return False

    def document(self) -> Json:
        if not self._stopped:
            raise failed(ErrorClass.MALFORMED_REPLY, "the stream ended before the answer was complete")
        for (index, field), pieces in self._pieces.items():
            block = self._blocks[index]
            block[field] = str(block.get(field, "")) + "".join(pieces)
        return {**self._message, "content": [_whole(self._blocks[index]) for index in sorted(self._blocks)]}

    def _add_delta(self, index: int, delta: Json) -> bool:
        self._blocks.setdefault(index, {"type": "text"})
        for name in ("text", "thinking", "signature", "partial_json"):
            if isinstance(delta.get(name), str):
                self._pieces.setdefault((index, name), []).append(delta[name])
        return bool(delta.get("text") or delta.get("partial_json"))


def _whole(block: Json) -> Json:
    """Return a tool call with its arguments joined from parts of JSON text."""
    if "partial_json" not in block:
        return block
    text = block["partial_json"]
    plain = {name: value for name, value in block.items() if name != "partial_json"}
    return {**plain, "input": document_of(text) if text.strip() else {}}


def _message(message: Message) -> Json:
    if message.tool_call_id is not None:
        return {"role": "user", "content": [_result(message.tool_call_id, message.content)]}
    role = "assistant" if message.role == "assistant" else "user"
    if not message.tool_calls and not message.parts:
        return {"role": role, "content": message.content}
    keys = message.parts or ((Text(text=message.content),) if message.content else ())
    blocks = [_part(part) for part in keys] + [_tool_use(call) for call in message.tool_calls]
    return {"role": role, "content": blocks}


def _result(call_id: str, result: str) -> Json:
    return {"type": "tool_result", "tool_use_id": call_id, "content": result}


def _part(part: Any) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return {"type": "image", "source": {"type": "url", "url": part.url}}


def _tool_use(call: ToolCall) -> Json:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": document_of(call.arguments or "{}")}


def _call(block: Json) -> ToolCall:
    return ToolCall(
        id=text_or_none(block.get("id")) or "",
        name=text_or_none(block.get("name")) or "",
        arguments=json.dumps(block.get("input") or {}, ensure_ascii=False),
    )


def _index(payload: Json) -> int:
    index = payload.get("index")
    return index if isinstance(index, int) else 0


def _sum(values: Iterable[int | None]) -> int | None:
    """Return the sum; None if no value was reported."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None
