"""Decodes the output of a program: one JSON object.

    {"text": "[Yes]", "model": "support-llm-2026-03", "input_tokens": 58, "output_tokens": 9}

It may contain every field of a reply; or `error_class` (one of `ErrorClass`) with `error`, a sentence.
"""

from typing import Any

from replay.targets.answer_fields import Json, count, instant, number, object_or_empty, objects, text_or_none
from replay.targets.failure import ErrorClass, failed, one_line
from replay.targets.tools import calls_as_text
from replay.types import Reply, ToolCall


def read_reply(document: Json, latency_ms: float) -> Reply:
    """Return the reply. Raise CallError if the program reports a failure, or without a text."""
    if document.get("error_class") or document.get("error"):
        raise failed(
            _class_of(document.get("error_class")), one_line(str(document.get("error") or "it has no message"))
        )
    calls = tuple(_call(item) for item in objects(document.get("tool_calls")))
    text = document.get("text")
    if calls and (text is None or (isinstance(text, str) and not text.strip())):
        text = calls_as_text(calls)
    if not isinstance(text, str):
        keys = ", ".join(sorted(document))
        raise failed(ErrorClass.MALFORMED_REPLY, one_line(f"the answer has no text, only: {keys or 'nothing'}"))
    if not text.strip():
        raise failed(ErrorClass.EMPTY_REPLY, "the answer has no text")
    return Reply(
        text=text,
        latency_ms=latency_ms,
        finish_reason=text_or_none(document.get("finish_reason")),
        model=text_or_none(document.get("model")),
        reported_at=instant(document.get("reported_at")),
        system_fingerprint=text_or_none(document.get("system_fingerprint")),
        response_id=text_or_none(document.get("response_id")),
        input_tokens=count(document.get("input_tokens")),
        output_tokens=count(document.get("output_tokens")),
        cost_usd=number(document.get("cost_usd")),
        ttft_ms=number(document.get("ttft_ms")),
        tool_calls=calls,
        reported={str(name): str(value) for name, value in object_or_empty(document.get("reported")).items()},
    )


def _class_of(named: Any) -> ErrorClass:
    return ErrorClass(named) if isinstance(named, str) and named in set(ErrorClass) else ErrorClass.SERVER_ERROR


def _call(item: Json) -> ToolCall:
    return ToolCall(
        id=text_or_none(item.get("id")) or "",
        name=text_or_none(item.get("name")) or "",
        arguments=text_or_none(item.get("arguments")) or "",
        result=text_or_none(item.get("result")),
    )
