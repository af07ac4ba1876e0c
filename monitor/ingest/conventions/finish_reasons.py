"""Map the finish reasons of providers and instrumentations to one vocabulary."""

from monitor.domain.interaction import FinishReason

_VALUES = {
    FinishReason.STOP: "stop end_turn stop_sequence stop_turn completed complete eos eos_token finish finished",
    FinishReason.LENGTH: "length max_tokens max_output_tokens max_length token_limit model_context_window_exceeded",
    FinishReason.TOOL_CALLS: "tool_calls tool_call tool_use function_call function_calls tool",
    FinishReason.CONTENT_FILTER: "content_filter content_filtered refusal safety recitation blocklist "
    "prohibited_content spii guardrail_intervened blocked",
    FinishReason.ERROR: "error failed failure malformed_function_call",
}
_BY_VALUE = {word: reason for reason, words in _VALUES.items() for word in words.split()}


def finish_reason(raw: str | None) -> FinishReason | None:
    """Return the finish reason; `other` for an unknown value, None without one.

    Only the last part of an enum name counts.

    >>> finish_reason("end_turn"), finish_reason("tool-calls"), finish_reason("MAX_TOKENS"), finish_reason("pause_turn")
    (<FinishReason.STOP: 'stop'>, <FinishReason.TOOL_CALLS: 'tool_calls'>, \
<FinishReason.LENGTH: 'length'>, <FinishReason.OTHER: 'other'>)
    """
    if not raw:
        return None
    if (known := _BY_VALUE.get(raw)) is not None:
        return known
    word = raw.strip().rpartition(".")[2]
    return _BY_VALUE.get(word.lower().replace("-", "_"), FinishReason.OTHER)
