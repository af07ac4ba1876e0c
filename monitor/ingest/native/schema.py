"""The fields of a native interaction and their types. All decoding and all error messages follow from these structs."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Any, Final, Literal, get_type_hints

import msgspec
from msgspec import Meta

from monitor.ingest.conventions import attributes as read

Text = str | None
Number = float | None
Positive = Annotated[float, Meta(ge=0)] | None
Whole = Annotated[int, Meta(ge=-read.INT64_MAX, le=read.INT64_MAX)] | None
Count = Annotated[int, Meta(ge=0, le=read.INT64_MAX)] | None


class Request(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    model: Text = None
    messages: list[Any] | None = None
    temperature: Number = None
    top_p: Number = None
    max_tokens: Count = None
    seed: Whole = None


class Response(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    model: Text = None
    id: Text = None
    system_fingerprint: Text = None
    messages: list[Any] | None = None
    finish_reason: Text = None
    time_to_first_token_ms: Positive = None


class Usage(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    input_tokens: Count = None
    output_tokens: Count = None
    cached_input_tokens: Count = None
    reasoning_tokens: Count = None


class Prompt(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    id: Text = None
    version: Text = None


class Retrieved(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    id: Text = None
    content: Text = None
    score: Number = None


class Error(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    type: str
    message: Any = None


class Record(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """`type`, `id`, `started_at`, `trace_id` and `span_id` identify the call. Every other field is optional."""

    type: Literal["interaction"]
    id: Text = None
    deployment: Text = None
    started_at: Text = None
    duration_ms: Positive = None
    conversation_id: Text = None
    user_id: Text = None
    trace_id: Text = None
    span_id: Text = None
    provider: Text = None
    request: Request | None = None
    response: Response | None = None
    usage: Usage | None = None
    cost_usd: Positive = None
    documents: list[Retrieved] | None = None
    prompt: Prompt | None = None
    error: str | Error | None = None
    attributes: dict[str, Any] | None = None


FIELDS: Final = Record.__struct_fields__
IDENTIFYING: Final = frozenset(["type", "id", "started_at", "trace_id", "span_id"])
OBJECTS: Final[Mapping[str, type[msgspec.Struct]]] = {
    "": Record,
    "request": Request,
    "response": Response,
    "usage": Usage,
    "prompt": Prompt,
    "documents": Retrieved,
    "error": Error,
}
Convert = Callable[[Mapping[str, Any], str], Any]  # attributes, name -> the value in the right type, or None
_CONVERTERS: Final[Mapping[Any, Convert]] = {
    Text: read.text,
    Number: read.number,
    Positive: partial(read.number, least=0.0),
    Whole: read.whole,
    Count: partial(read.whole, least=0),
}


def _converters(path: str, struct: type[msgspec.Struct]) -> dict[str, Convert]:
    prefix = f"{path}." if path else ""
    hints = get_type_hints(struct, include_extras=True)
    return {prefix + name: _CONVERTERS[hint] for name, hint in hints.items() if hint in _CONVERTERS}


# The converter of each optional value by its path, such as `usage.input_tokens`.
CONVERTERS: Final[Mapping[str, Convert]] = {
    **{name: convert for path, struct in OBJECTS.items() for name, convert in _converters(path, struct).items()},
    "error": read.text,
    "error.type": read.text,
}
