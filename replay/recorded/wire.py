"""OpenAI's chat completions protocol, as far as a recorded answer has its fields."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time
from typing import Any

from replay.errors import ReplayError
from replay.recorded.book import Served, Serving

Json = dict[str, Any]
PIECE_CHARACTERS = 48  # of a streamed answer; the recordings have no chunk sizes
TEXTS = ("text", "input_text")


class BadRequest(ReplayError):
    """The request is malformed. `param` is the name of the field."""

    def __init__(self, message: str, param: str | None = None) -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """The parts of a request that determine the answer and its form."""

    model: str
    question: str
    stream: bool
    include_usage: bool = False


def read_object(body: bytes) -> Json:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError):
        raise BadRequest("the body is not JSON; send one JSON object") from None
    if not isinstance(document, dict):
        raise BadRequest("the body must be one JSON object")
    return document


def read_chat_request(body: bytes) -> ChatRequest:
    """Return the request, or raise BadRequest. Parameters such as temperature are ignored, because the answers are
    recorded.
    """
    document = read_object(body)
    model = model_of(document)
    if document.get("n", 1) not in (None, 1):  # a tuple, because the value may be unhashable
        raise BadRequest("field 'n' must be 1; send another request for another answer", "n")
    options = document.get("stream_options") or {}
    if not isinstance(options, dict):
        raise BadRequest("field 'stream' must be true or false, 'stream_options' an object", "stream")
    return ChatRequest(
        model=model,
        question=last_user_text(document.get("messages")),
        stream=stream_of(document),
        include_usage=options.get("include_usage") is True,
    )


def model_of(document: Json) -> str:
    model = document.get("model")
    if not isinstance(model, str) or not model:
        raise BadRequest("field 'model' must name the model", "model")
    return model


def stream_of(document: Json) -> bool:
    stream = document.get("stream") or False
    if not isinstance(stream, bool):
        raise BadRequest("field 'stream' must be true or false, 'stream_options' an object", "stream")
    return stream


def read_sample(header: str | None) -> int | None:
    """Return the sample index in the header `x-driftd-sample`; None without the header."""
    if header is None:
        return None
    if not (header.isascii() and header.isdigit() and len(header) < 10):
        raise BadRequest("header 'x-driftd-sample' must be a sample index: 0, 1, 2, ...")
    return int(header)


def read_serving(body: bytes, now: Serving) -> Serving:
    """Return the values of a POST to /_snapshot: any of `snapshot`, `resample`, `seed`. The others do not change."""
    document = read_object(body)
    kinds: dict[str, tuple[type, ...]] = {"snapshot": (str,), "resample": (int, float), "seed": (int,)}
    for field, value in document.items():
        if field not in kinds:
            raise BadRequest(f"field {field!r} is unknown; known: {', '.join(kinds)}", field)
        if not isinstance(value, kinds[field]) or isinstance(value, bool):
            raise BadRequest(f"field {field!r} cannot be {json.dumps(value)}", field)
    return replace(now, **document)


def error_body(message: str, *, code: str, kind: str = "invalid_request_error", param: str | None = None) -> Json:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def completion(served: Served) -> Json:
    """Return the whole answer as one `chat.completion`."""
    message = {"role": "assistant", "content": served.answer.text, "refusal": None}
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": served.answer.finish_reason}
    document = _head(served, "chat.completion") | {"choices": [choice]}
    usage = usage_of(served)
    return document | {"usage": usage} if usage else document


def chunks(served: Served, *, include_usage: bool) -> Iterator[Json]:
    """Yield the answer as `chat.completion.chunk`s: role, text parts, finish reason, and the usage if requested."""
    head = _head(served, "chat.completion.chunk") | ({"usage": None} if include_usage else {})
    yield head | {"choices": [_delta({"role": "assistant", "content": ""})]}
    for piece in pieces_of(served.answer.text):
        yield head | {"choices": [_delta({"content": piece})]}
    yield head | {"choices": [_delta({}, served.answer.finish_reason)]}
    if include_usage:
        yield head | {"choices": [], "usage": usage_of(served)}


def pieces_of(text: str) -> list[str]:
    return [text[start : start + PIECE_CHARACTERS] for start in range(0, len(text), PIECE_CHARACTERS)]


def recorded_at(served: Served) -> datetime:
    return datetime.combine(served.answer.recorded_on, time(), UTC)


def usage_of(served: Served) -> Json | None:
    """Return the recorded tokens; None if they were not recorded."""
    given, taken = served.answer.input_tokens, served.answer.output_tokens
    if given is None or taken is None:
        return None
    return {"prompt_tokens": given, "completion_tokens": taken, "total_tokens": given + taken}


def synthetic_fingerprint(snapshot: str) -> str:
    """Return a constant fingerprint of a snapshot. It is synthetic, because the recordings are older than the field."""
    return f"fp_recorded_{hashlib.sha256(snapshot.encode()).hexdigest()[:8]}"


def headers_of(served: Served) -> Mapping[str, str]:
    """Return the headers of every answer. They report the differences from the real model."""
    return {
        "x-recorded-resample": f"{served.resample:.10g}",
        "x-recorded-resampled": "true" if served.resampled else "false",
        "x-recorded-synthetic-fingerprint": "true",
    }


def _head(served: Served, kind: str) -> Json:
    return {
        "id": f"chatcmpl-{served.key[:16]}-{served.number}",
        "object": kind,
        "created": int(recorded_at(served).timestamp()),
        "model": served.snapshot,
        "system_fingerprint": synthetic_fingerprint(served.snapshot),
    }


def _delta(delta: Json, finish_reason: str | None = None) -> Json:
    return {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}


def last_user_text(turns: Any, field: str = "messages") -> str:
    """Return the text of the last user message. Images are ignored."""
    if not isinstance(turns, list) or not all(isinstance(turn, dict) for turn in turns):
        raise BadRequest(f"field {field!r} must be a list of objects with role and content", field)
    user = next((turn for turn in reversed(turns) if turn.get("role") == "user"), None)
    if user is None:
        raise BadRequest(f"field {field!r} has no user message", field)
    content = user.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    text_parts = [part for part in parts if isinstance(part, dict) and part.get("type") in TEXTS]
    texts = [part["text"] for part in text_parts if isinstance(part.get("text"), str)]
    if not texts or len(texts) != len(text_parts):
        raise BadRequest("the content of the last user message must be text, or parts of type text", field)
    return "\n".join(texts)
