"""OpenAI's responses protocol: one response is a list of items, including messages and tool calls."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from replay.targets.answer_fields import (
    Json,
    count,
    document_of,
    instant,
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

_ENDS = {"response.completed", "response.incomplete", "response.failed"}
_ANSWERS = {"response.output_text.delta", "response.refusal.delta", "response.function_call_arguments.delta"}


class Responses:
    """The dialect of responses. The provider stores nothing: every call sends the whole conversation."""

    path = "/responses"
    thread = "input"

    def headers(self, key: str | None) -> Mapping[str, str]:
        return {} if key is None else {"authorization": f"Bearer {key}"}

    def body(self, parameters: Parameters, system: str | None, case: Case, *, stream: bool) -> Json:
        return {
            **given(
                model=parameters.model,
                instructions=system,
                temperature=parameters.temperature,
                top_p=parameters.top_p,
                max_output_tokens=parameters.max_tokens,
                tools=[{"type": "function", **tool} for tool in tools_of(case, "parameters")] or None,
                # Reasoning items are sent back together with the results of the tools.
                include=["reasoning.encrypted_content"] if case.tools else None,
                stream=stream or None,
            ),
            "store": False,
            "input": [item for message in case.input for item in _items(message)],
        }

    def read(self, document: Json, headers: Mapping[str, str], latency_ms: float) -> Turn:
        finish_reason = _finish_reason(document)
        output = objects(document.get("output"))
        text, refused = _answer(output)
        calls = tuple(_call(item) for item in output if item.get("type") == "function_call")
        if not text.strip() and not calls:
            raise failed(ErrorClass.EMPTY_REPLY, f"the answer has no text (finish_reason {finish_reason})")
        usage = object_or_empty(document.get("usage"))
        reply = Reply(
            text=text,
            latency_ms=latency_ms,
            finish_reason=finish_reason,
            model=text_or_none(document.get("model")),
            reported_at=instant(document.get("created_at")),
            system_fingerprint=text_or_none(document.get("system_fingerprint")),
            response_id=text_or_none(document.get("id")),
            input_tokens=count(usage.get("input_tokens")),
            output_tokens=count(usage.get("output_tokens")),
            reported=marks(headers) | ({"refusal": "true"} if refused else {}),
        )
        return Turn(reply=reply, calls=calls, written=output)

    def results(self, calls: Sequence[ToolCall]) -> list[Json]:
        return [
            {"type": "function_call_output", "call_id": call.id, "output": call.result or NO_RESULT} for call in calls
        ]

    def fold(self) -> "ResponsesAccumulator":
        return ResponsesAccumulator()


class ResponsesAccumulator:
    """Keeps the last event, which contains the whole response."""

    def __init__(self) -> None:
        self._response: Json | None = None

    def add(self, event: Event) -> bool:
        if event.data.strip() == "[DONE]":
            return False
        payload = document_of(event.data)
        kind = text_or_none(payload.get("type")) or event.name
        if kind == "error":
            raise failure_in_stream(payload.get("error") or payload)
        if kind in _ENDS:
            self._response = object_or_empty(payload.get("response"))
        return kind in _ANSWERS and bool(payload.get("delta"))

    def document(self) -> Json:
        if self._response is None:
            raise failed(ErrorClass.MALFORMED_REPLY, "the stream ended before the answer was complete")
        return self._response


def _finish_reason(document: Json) -> str | None:
    """Return the finish reason in the terms of chat completions. Raise CallError if the response failed or was
    withheld.
    """
    if document.get("error"):
        raise failure_in_stream(document["error"])
    if "output" not in document:
        raise failed(
            ErrorClass.MALFORMED_REPLY, one_line(f"the answer has no output, only: {', '.join(sorted(document))}")
        )
    status = text_or_none(document.get("status"))
    if status == "failed":
        raise failed(ErrorClass.SERVER_ERROR, "the response failed without a message")
    why = text_or_none(object_or_empty(document.get("incomplete_details")).get("reason"))
    if why == "content_filter":
        raise failed(ErrorClass.CONTENT_FILTER, "the provider's content filter withheld the answer")
    if status == "incomplete":
        return "length" if why == "max_output_tokens" else why or status
    return "stop" if status == "completed" else status


def _answer(output: Sequence[Json]) -> tuple[str, bool]:
    """Return the text, and whether it is a refusal."""
    parts = [part for item in output if item.get("type") == "message" for part in objects(item.get("content"))]
    text = "\n".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    refusal = "\n".join(part["refusal"] for part in parts if isinstance(part.get("refusal"), str))
    return (refusal, True) if refusal and not text.strip() else (text, False)


def _items(message: Message) -> Iterator[Json]:
    if message.tool_call_id is not None:
        yield {"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}
        return
    if message.content or message.parts:
        role = "user" if message.role == "tool" else message.role  # a tool message without the id of a call
        yield {"role": role, "content": [_part(part) for part in message.parts] or message.content}
    for call in message.tool_calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _part(part: Any) -> Json:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    return {"type": "input_image", "image_url": part.url}


def _call(item: Json) -> ToolCall:
    arguments = item.get("arguments")
    return ToolCall(
        id=text_or_none(item.get("call_id")) or "",
        name=text_or_none(item.get("name")) or "",
        arguments=arguments if isinstance(arguments, str) else json.dumps(arguments),
    )
