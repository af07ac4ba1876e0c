"""From the bytes of a chat completion to a Reply: everything the answer says of itself is kept."""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from replay.targets.failure import ErrorClass, failed, one_line
from replay.types import Reply

RECORDED = "x-recorded-"


def read_reply(body: bytes, headers: Mapping[str, str], latency_ms: float) -> Reply:
    """The reply without its cost. Raises CallError for an answer that is malformed, filtered or empty.

    A refusal is an answer: its text is the reply's, and `reported` says `refusal: true`.
    """
    document = _document(body)
    choice = _first_choice(document)
    finish_reason = _text_or_none(choice.get("finish_reason"))
    if finish_reason == "content_filter":
        raise failed(ErrorClass.CONTENT_FILTER, "the provider's content filter withheld the answer")
    message = choice.get("message")
    text, refused = _answer(message if isinstance(message, dict) else {})
    if not text.strip():
        raise failed(ErrorClass.EMPTY_REPLY, f"the answer holds no text (finish_reason {finish_reason})")
    usage = document.get("usage")
    usage = usage if isinstance(usage, dict) else {}
    return Reply(
        text=text,
        latency_ms=latency_ms,
        finish_reason=finish_reason,
        model=_text_or_none(document.get("model")),
        reported_at=_instant(document.get("created")),
        system_fingerprint=_text_or_none(document.get("system_fingerprint")),
        response_id=_text_or_none(document.get("id")),
        input_tokens=_count(usage.get("prompt_tokens")),
        output_tokens=_count(usage.get("completion_tokens")),
        reported=_reported(headers) | ({"refusal": "true"} if refused else {}),
    )


def listed_models(body: bytes) -> frozenset[str] | None:
    """The ids in an answer to GET /models; None when it is no such list."""
    try:
        listed = json.loads(body)["data"]
        return frozenset(str(model["id"]) for model in listed)
    except (ValueError, RecursionError, KeyError, TypeError):
        return None


def _document(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise failed(ErrorClass.MALFORMED_REPLY, f"the answer is not JSON ({len(body)} bytes)") from error
    if not isinstance(document, dict):
        raise failed(ErrorClass.MALFORMED_REPLY, f"the answer is a JSON {type(document).__name__}, not an object")
    return document


def _first_choice(document: dict[str, Any]) -> dict[str, Any]:
    choices = document.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    said = one_line(json.dumps(document.get("error"))) if "error" in document else ", ".join(sorted(document))
    raise failed(ErrorClass.MALFORMED_REPLY, one_line(f"the answer has no choices, only: {said}"))


def _answer(message: dict[str, Any]) -> tuple[str, bool]:
    """The text, and whether it is a refusal. Content may come as a string or as a list of parts."""
    content, refusal = message.get("content"), message.get("refusal")
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "\n".join(part for part in parts if isinstance(part, str))
    text = content if isinstance(content, str) else ""
    if not text.strip() and isinstance(refusal, str):
        return refusal, True
    return text, False


def _reported(headers: Mapping[str, str]) -> dict[str, str]:
    return {name.removeprefix("x-"): value for name, value in headers.items() if name.startswith(RECORDED)}


def _text_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _instant(value: Any) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError):
        return None
