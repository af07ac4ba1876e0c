"""Read the token counts of a Langfuse observation: a provider's own names, or Langfuse's usage types.

Langfuse adds up all types whose name begins with `input`. Its SDKs subtract the cached tokens from `input` before they
send it. Applications that count tokens themselves may send `input` without that subtraction. `total` shows which.
"""

from collections.abc import Mapping
from typing import Any, Final

from monitor.ingest.conventions import attributes as read
from monitor.ingest.conventions.provider.usage import SEPARATE_CACHE_COUNTS, fields_of_usage
from monitor.ingest.conventions.span_call import CallFields

CACHED: Final = ("input_cached_tokens", "input_cache_read", SEPARATE_CACHE_COUNTS[0])
REASONING: Final = ("output_reasoning_tokens", "output_reasoning", "reasoning_tokens")


def fields_of_usage_details(details: Mapping[str, Any]) -> CallFields:
    """Return token counts whose input includes cached tokens and whose output includes reasoning tokens.

    >>> fields_of_usage_details({"input": 23, "output": 6, "total": 40, "input_cache_read": 8, "output_reasoning": 3})
    {'input_tokens': 31, 'output_tokens': 9, 'cached_input_tokens': 8, 'reasoning_tokens': 3}
    """
    if "input" not in details and "output" not in details:
        return fields_of_usage(details)
    input_tokens, output_tokens = read.count(details, "input"), read.count(details, "output")
    total = read.count(details, "total")
    if total is not None and total > (input_tokens or 0) + (output_tokens or 0):
        input_tokens = _with_parts(input_tokens, details, "input_", *SEPARATE_CACHE_COUNTS)
        output_tokens = _with_parts(output_tokens, details, "output_")
    return CallFields(
        input_tokens=input_tokens,
        output_tokens=output_tokens,
        cached_input_tokens=read.count(details, *CACHED),
        reasoning_tokens=read.count(details, *REASONING),
    )


def _with_parts(whole: int | None, details: Mapping[str, Any], beginning: str, *names: str) -> int | None:
    parts = [name for name in details if name.startswith(beginning) or name in names]
    return None if whole is None else whole + sum(read.count(details, part) or 0 for part in parts)
