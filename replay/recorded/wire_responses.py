"""OpenAI's responses protocol, as far as a recorded answer has its fields."""

from collections.abc import Iterator

from replay.recorded.book import Served
from replay.recorded.wire import (
    ChatRequest,
    Json,
    last_user_text,
    model_of,
    pieces_of,
    read_object,
    recorded_at,
    stream_of,
    synthetic_fingerprint,
)


def read_responses_request(body: bytes) -> ChatRequest:
    """Return the request, or raise BadRequest. `input` is a text or a list of items."""
    document = read_object(body)
    given = document.get("input")
    items = [{"role": "user", "content": given}] if isinstance(given, str) else given
    return ChatRequest(model=model_of(document), question=last_user_text(items, "input"), stream=stream_of(document))


def response_of(served: Served) -> Json:
    """Return the whole answer as one `response`."""
    content = {"type": "output_text", "text": served.answer.text, "annotations": []}
    cut = served.answer.finish_reason == "length"
    status = "incomplete" if cut else "completed"
    message = {
        "id": f"msg_{served.key[:16]}",
        "type": "message",
        "role": "assistant",
        "status": status,
        "content": [content],
    }
    return {
        **_head(served),
        "status": status,
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "output": [message],
        "usage": _usage(served),
    }


def response_events(served: Served) -> Iterator[Json]:
    """Yield the answer as events: the start, parts of the text, the complete response."""
    yield {"type": "response.created", "response": {**_head(served), "status": "in_progress", "output": []}}
    where = {"item_id": f"msg_{served.key[:16]}", "output_index": 0, "content_index": 0}
    for piece in pieces_of(served.answer.text):
        yield {"type": "response.output_text.delta", **where, "delta": piece}
    yield {"type": "response.output_text.done", **where, "text": served.answer.text}
    whole = response_of(served)
    yield {"type": f"response.{whole['status']}", "response": whole}


def _head(served: Served) -> Json:
    return {
        "id": f"resp_{served.key[:16]}-{served.number}",
        "object": "response",
        "created_at": int(recorded_at(served).timestamp()),
        "model": served.snapshot,
        "system_fingerprint": synthetic_fingerprint(served.snapshot),
        "error": None,
    }


def _usage(served: Served) -> Json | None:
    """Return the recorded tokens; None if they were not recorded."""
    given, taken = served.answer.input_tokens, served.answer.output_tokens
    if given is None or taken is None:
        return None
    return {"input_tokens": given, "output_tokens": taken, "total_tokens": given + taken}
