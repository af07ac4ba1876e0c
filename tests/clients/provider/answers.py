"""The answers of the mock model: a text that names its question, or a call of the first tool in the request."""

import json
from datetime import UTC, datetime
from typing import Final

from tests.clients.provider.call import Answer, ModelRequest, Tool

TOOL_ARGUMENTS: Final = {"city": "Paris"}
LONG: Final = 120  # words of an answer that the client abandons


def answer(number: int, request: ModelRequest, *, long: bool = False) -> Answer:
    """Return an answer. Every value differs between calls, so that calls cannot be confused."""
    tool = None
    if request.tools and not request.has_result:
        tool = Tool(id=f"call_{number:04d}abcdef", name=request.tools[0], arguments=json.dumps(TOOL_ARGUMENTS))
    words = [f"Answer {number} to '{request.last_text[:60]}':", "the kettle", "may be returned."]
    text = " ".join(words + ["Indeed."] * (LONG if long else 0))
    return Answer(
        id=f"{number:04d}c0ffee{number:06d}",
        model=f"{request.model}-2026-03-01",
        created=int(datetime.now(UTC).timestamp()),
        fingerprint=f"fp_{number:06d}",
        text="" if tool else text,
        tool=tool,
        input_tokens=140 + 7 * number,
        output_tokens=(len(text.split()) * 2 if long else 40) + 3 * number,
        cached_tokens=64 + number,
        reasoning_tokens=8 + number,
    )


def pieces(text: str) -> list[str]:
    """Return the chunks of a stream, two words each."""
    words = text.split(" ")
    parts = [" ".join(words[place : place + 2]) for place in range(0, len(words), 2)]
    return [part if place == 0 else f" {part}" for place, part in enumerate(parts)] if text else []
