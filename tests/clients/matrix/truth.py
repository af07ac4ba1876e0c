"""The provider's call and driftd's row as the same fields."""

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final

from monitor.domain.interaction import Interaction
from monitor.ingest.conventions.error_classes import error_class
from monitor.ingest.conventions.finish_reasons import finish_reason
from tests.clients.provider.call import Call

Fields = Mapping[str, Any]
FIELDS: Final = {  # their names in docs/connect.md
    "request_model": "requested model",
    "response_model": "response model",
    "response_id": "response id",
    "system_fingerprint": "system fingerprint",
    "status": "status",
    "error_class": "error class",
    "finish_reason": "finish reason",
    "input_tokens": "input tokens",
    "output_tokens": "output tokens",
    "cached_input_tokens": "cached input tokens",
    "reasoning_tokens": "reasoning tokens",
    "temperature": "temperature",
    "top_p": "`top_p`",
    "max_tokens": "`max_tokens`",
    "seed": "seed",
    "system_prompt": "system prompt",
    "input": "input",
    "input_tools": "tool calls in the input",
    "tool_results": "tool results",
    "output": "output",
    "tool_calls": "tool calls",
    "conversation_id": "conversation id",
    "first_token": "time to first token",
}
ANYTHING: Final = object()  # a client may count any part of an abandoned stream
CLOCKS: Final = timedelta(seconds=10)  # between a request's start in the client and its arrival, on a busy machine


def absent(value: Any) -> bool:
    return value is None or value is ANYTHING or value in ("", (), [])


def truth_of(call: Call, conversation: str | None) -> dict[str, Any]:
    """Return the fields of the row when the client sends everything. Of an abandoned answer, any prefix is right."""
    request, response = call.request, call.response
    failed = call.http_status != 200
    status = "error" if failed else "incomplete" if call.abandoned else "ok"
    tools = [message.tools for message in request.messages]
    abandoned = call.abandoned
    return {
        "request_model": request.model,
        "response_model": response.response_model,
        "response_id": response.response_id,
        "system_fingerprint": response.system_fingerprint,
        "status": status,
        "error_class": error_class(str(call.http_status)) if failed else None,
        "finish_reason": finish_reason(response.finish_reason),
        "input_tokens": ANYTHING if abandoned else response.input_tokens,
        "output_tokens": ANYTHING if abandoned else response.output_tokens,
        "cached_input_tokens": ANYTHING if abandoned else response.cached_input_tokens,
        "reasoning_tokens": ANYTHING if abandoned else response.reasoning_tokens,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": request.max_tokens,
        "seed": request.seed,
        "system_prompt": request.system,
        "input": [(m.role, m.text) for m in request.messages if m.role != "tool" and m.text],
        "input_tools": [tool.plain for of in tools for tool in of],
        "tool_results": [m.text for m in request.messages if m.role == "tool"],
        "output": None if failed else response.text,
        "tool_calls": [] if failed or response.tool is None else [response.tool.plain],
        "conversation_id": conversation or ANYTHING,
        "first_token": True if request.stream and not failed else None,
    }


def row_fields(row: Interaction) -> dict[str, Any]:
    calls = [c for m in row.input_messages for c in m.tool_calls]
    made = [c for m in row.output_messages for c in m.tool_calls]
    messages = [m for m in row.input_messages if m.role != "tool"]
    return {
        "request_model": row.request_model,
        "response_model": row.response_model,
        "response_id": row.response_id,
        "system_fingerprint": row.system_fingerprint,
        "status": row.status.value,
        "error_class": row.error_class,
        "finish_reason": row.finish_reason,
        "input_tokens": row.input_tokens,
        "output_tokens": row.output_tokens,
        "cached_input_tokens": row.cached_input_tokens,
        "reasoning_tokens": row.reasoning_tokens,
        "temperature": row.temperature,
        "top_p": row.top_p,
        "max_tokens": row.max_tokens,
        "seed": row.seed,
        "system_prompt": row.system_prompt,
        "input": [(m.role, m.content) for m in messages if m.content],
        "input_tools": [(c.name, _plain(c.arguments)) for c in calls],
        "tool_results": [m.content for m in row.input_messages if m.role == "tool"],
        "output": "\n".join(m.content for m in row.output_messages if m.content),
        "tool_calls": [(c.name, _plain(c.arguments)) for c in made],
        "conversation_id": row.conversation_id,
        "first_token": None if row.ttft_ms is None else 0 <= row.ttft_ms <= (row.duration_ms or 0),
    }


def same_time(call: Call, row: Interaction) -> bool:
    """Return whether the request began within the row, and the row lasts at least as long as the provider needed.

    The span of a client includes what the client does before its request, such as loading a module.
    """
    served = (call.ended_at or call.began_at) - call.began_at
    lasted = timedelta(milliseconds=row.duration_ms or 0)
    began_within = -CLOCKS <= call.began_at - row.started_at <= lasted + CLOCKS
    return began_within and (call.abandoned or lasted + CLOCKS >= served)


def _plain(arguments: str) -> Any:
    try:
        return json.loads(arguments or "{}")
    except json.JSONDecodeError:
        return arguments
