"""Strategies: replies of every protocol with any part of them replaced by what no client expects."""

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

from tests.replay.targets.shapes import chat, message, response

Json = Any
HOSTILE: tuple[Json, ...] = (
    10**30,
    -(10**30),
    10**400,
    -1,
    2**63,
    1e308,
    float("nan"),
    float("inf"),
    "\ud83d",
    "a\udc00b",
    "\x00",
    "",
    " ",
    "9999-12-31T23:59:59-14:00",
    "0001-01-01T00:00:00+14:00",
    "x" * 3000,
    None,
    True,
    [],
    {},
    [[]],
    [None, 1, "a", {"\ud83d": "\ud83d"}],
    {"a": {"b": [{"c": "\ud83d"}]}},
)
hostile = st.sampled_from(HOSTILE) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@st.composite
def mutated(draw: Callable[..., Any], document: Json) -> Json:
    """The document with one to four of its nodes replaced or a strange field added."""
    whole = json.loads(json.dumps(document))
    for _ in range(draw(st.integers(1, 4))):
        places = list(_places(whole))
        if not places:
            break
        holder, key = draw(st.sampled_from(places))
        holder[key] = deepcopy(draw(hostile))
        if isinstance(whole, dict):
            strange = draw(st.sampled_from(("error", "type", "\ud83d", "usage", None)))
            whole |= {} if strange is None else {strange: deepcopy(draw(hostile))}
    return whole


def _places(node: Json) -> list[tuple[Any, Any]]:
    items = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    found: list[tuple[Any, Any]] = []
    for key, value in items:
        found.append((node, key))
        found += _places(value)
    return found


TOOL_CALL = {"id": "t1", "type": "function", "function": {"name": "find", "arguments": '{"order": 7}'}}
USE = {"type": "tool_use", "id": "t1", "name": "find", "input": {"order": 7}}
CALLED = {"type": "function_call", "call_id": "t1", "name": "find", "arguments": '{"order": 7}'}
PROGRAM = {
    "text": "[Yes]",
    "model": "m-1",
    "input_tokens": 58,
    "output_tokens": 9,
    "system_fingerprint": "fp",
    "reported_at": 1678838400,
    "response_id": "r1",
    "finish_reason": "stop",
    "cost_usd": 0.1,
    "ttft_ms": 12.5,
    "tool_calls": [{"id": "1", "name": "find", "arguments": "{}", "result": "found"}],
    "reported": {"shard": "7"},
}
FAILED = {"error_class": "content_filter", "error": "withheld"}
ERROR = {"error": {"message": "no", "code": "overloaded_error", "type": "x"}}
APPLICATION = {"answer": "yes", "model": "m", "usage": {"in": 1, "out": 2, "usd": 0.1}, "id": "r", "at": 1678838400}
DOCUMENTS: dict[str, tuple[Json, ...]] = {
    "chat": (chat("yes"), chat("", tool_calls=[TOOL_CALL]), ERROR),
    "responses": (response("yes"), response("yes", output=[CALLED]), ERROR),
    "messages": (message("yes"), {**message("yes"), "content": [USE]}, ERROR),
    "application": (APPLICATION, ERROR),
    "program": (PROGRAM, FAILED),
}


def replies(protocol: str) -> st.SearchStrategy[Json]:
    return st.one_of(*(mutated(document) for document in DOCUMENTS[protocol]), hostile)
