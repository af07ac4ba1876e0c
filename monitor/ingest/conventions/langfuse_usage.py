"""Token counts of a Langfuse observation: a provider's own words, or Langfuse's types of usage.

Langfuse adds up all types whose name begins with `input`, and its SDKs subtract the cached tokens from `input` before
they send it. Applications that count themselves may send `input` whole. `total` says which of the two it is.
"""

from collections.abc import Mapping
from typing import Any, Final

from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.provider.usage import BESIDE, said_by_usage
from monitor.ingest.conventions.span_call import CallFields

CACHED: Final = ("input_cached_tokens", "input_cache_read", BESIDE[0])
REASONING: Final = ("output_reasoning_tokens", "output_reasoning", "reasoning_tokens")


def said_by_details(details: Mapping[str, Any]) -> CallFields:
    """Input counts the cached tokens in, output the reasoning ones, as everywhere else.

    >>> said_by_details({"input": 23, "output": 6, "total": 40, "input_cached_tokens": 8, "output_reasoning_tokens": 3})
    {'input_tokens': 31, 'output_tokens': 9, 'cached_input_tokens': 8, 'reasoning_tokens': 3}
    """
    if "input" not in details and "output" not in details:
        return said_by_usage(details)
    told, answered = read.count(details, "input"), read.count(details, "output")
    total = read.count(details, "total")
    if total is not None and total > (told or 0) + (answered or 0):
        told = _with_parts(told, details, "input_", *BESIDE)
        answered = _with_parts(answered, details, "output_")
    return CallFields(
        input_tokens=told,
        output_tokens=answered,
        cached_input_tokens=read.count(details, *CACHED),
        reasoning_tokens=read.count(details, *REASONING),
    )


def _with_parts(whole: int | None, details: Mapping[str, Any], beginning: str, *names: str) -> int | None:
    parts = [name for name in details if name.startswith(beginning) or name in names]
    return None if whole is None else whole + sum(read.count(details, part) or 0 for part in parts)
