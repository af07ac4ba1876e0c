"""Read the token counts of providers and LangChain. Input tokens always include cached tokens."""

from collections.abc import Mapping
from typing import Any

from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.span_call import CallFields
from monitor.ingest.conventions.unread import note_unread

INPUT = ("input_tokens", "prompt_tokens")
OUTPUT = ("output_tokens", "completion_tokens")
INPUT_DETAILS = ("prompt_tokens_details", "input_tokens_details", "input_token_details")
OUTPUT_DETAILS = ("completion_tokens_details", "output_tokens_details", "output_token_details")
CACHED = ("cached_tokens", "cache_read")
REASONING = ("reasoning_tokens", "reasoning")
SEPARATE_CACHE_COUNTS = (
    "cache_read_input_tokens",
    "cache_creation_input_tokens",
)  # Anthropic counts these separately from its input


def usage_of_answer(answer: Any) -> CallFields:
    """Return the usage fields of an answer; empty without usage, as in many streams."""
    usage = next((answer[key] for key in ("usage", "usage_metadata") if isinstance(answer.get(key), dict)), None)
    return fields_of_usage(usage) if usage else CallFields()


def fields_of_usage(usage: Mapping[str, Any]) -> CallFields:
    """Return input, output, cached and reasoning tokens; None for a value that is not a number."""
    input_tokens = read.count(usage, *INPUT)
    cached = _detail(usage, INPUT_DETAILS, CACHED)
    if cached is None and input_tokens is not None and "prompt_tokens" not in usage:
        separate = [read.count(usage, name) for name in SEPARATE_CACHE_COUNTS]
        input_tokens += sum(n for n in separate if n)
        cached = separate[0]
    return CallFields(
        input_tokens=input_tokens,
        output_tokens=read.count(usage, *OUTPUT),
        cached_input_tokens=cached,
        reasoning_tokens=_detail(usage, OUTPUT_DETAILS, REASONING),
    )


def _detail(usage: Mapping[str, Any], objects: tuple[str, ...], names: tuple[str, ...]) -> int | None:
    for key in objects:
        found = usage.get(key)
        if isinstance(found, dict):
            return read.count(found, *names)
        if found is not None:
            note_unread(key, found)
    return None
