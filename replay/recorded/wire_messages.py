"""Anthropic's messages protocol, as far as a recorded answer has its fields."""

from collections.abc import Iterator
from email.utils import format_datetime

from replay.recorded.book import Served
from replay.recorded.wire import (
    BadRequest,
    ChatRequest,
    Json,
    last_user_text,
    model_of,
    pieces_of,
    read_object,
    recorded_at,
    stream_of,
)

_ENDS = {"stop": "end_turn", "length": "max_tokens"}
_ERRORS = {400: "invalid_request_error", 401: "authentication_error", 404: "not_found_error"}


def read_messages_request(body: bytes) -> ChatRequest:
    """Return the request, or raise BadRequest."""
    document = read_object(body)
    limit = document.get("max_tokens")
    if not isinstance(limit, int) or isinstance(limit, bool) or limit < 1:
        raise BadRequest("field 'max_tokens' must be a number of at least 1", "max_tokens")
    return ChatRequest(
        model=model_of(document),
        question=last_user_text(document.get("messages")),
        stream=stream_of(document),
    )


def message_of(served: Served) -> Json:
    """Return the whole answer as one `message`."""
    return {
        **_head(served),
        "content": [{"type": "text", "text": served.answer.text}],
        "stop_reason": _ENDS.get(served.answer.finish_reason, served.answer.finish_reason),
        "usage": {"input_tokens": served.answer.input_tokens, "output_tokens": served.answer.output_tokens},
    }


def message_events(served: Served) -> Iterator[Json]:
    """Yield the answer as events: the start, one block in parts, the end."""
    whole = message_of(served)
    usage = {"input_tokens": served.answer.input_tokens, "output_tokens": 0}
    yield {"type": "message_start", "message": {**_head(served), "content": [], "stop_reason": None, "usage": usage}}
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in pieces_of(served.answer.text):
        yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
    yield {"type": "content_block_stop", "index": 0}
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": served.answer.output_tokens}}
    yield {"type": "message_stop"}


def date_header(served: Served) -> dict[str, str]:
    """Return the date header. Messages have no date of their own."""
    return {"Date": format_datetime(recorded_at(served), usegmt=True)}


def messages_error(body: Json, status: int) -> Json:
    """Return the error in the envelope of this protocol, with its code next to its type."""
    return {"type": "error", "error": {**body["error"], "type": _ERRORS.get(status, "api_error")}}


def _head(served: Served) -> Json:
    return {
        "id": f"msg_{served.key[:16]}-{served.number}",
        "type": "message",
        "role": "assistant",
        "model": served.snapshot,
        "stop_sequence": None,
    }
