"""Convert a stored call to a span in the format of another product's client.

The result has only stored data: texts are redacted, and attributes that driftd does not keep are missing. Spans that
are not calls are missing too.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

from monitor.domain.interaction import ChatMessage, Interaction, Status

COUNTS: Final[Mapping[str, str]] = {
    "llm.token_count.prompt": "input_tokens",
    "llm.token_count.completion": "output_tokens",
    "llm.token_count.prompt_details.cache_read": "cached_input_tokens",
    "llm.token_count.completion_details.reasoning": "reasoning_tokens",
}
PARAMETERS: Final = ("temperature", "top_p", "max_tokens", "seed")


def ended_at(item: Interaction) -> datetime:
    return item.started_at + timedelta(milliseconds=item.duration_ms or 0.0)


def openinference_of(item: Interaction) -> dict[str, Any]:
    """Return the attributes of OpenInference."""
    params = {name: value for name in PARAMETERS if (value := getattr(item, name)) is not None}
    found: dict[str, Any] = {
        "openinference.span.kind": "LLM",
        "llm.model_name": item.response_model or item.request_model,
        "llm.provider": item.provider,
        "llm.invocation_parameters": json.dumps(params) if params else None,
        "session.id": item.conversation_id,
        "user.id": item.user_id,
        "input.value": item.input_text or None,
        "output.value": item.output_text or None,
        **{name: getattr(item, field) for name, field in COUNTS.items()},
        **_numbered("llm.input_messages", _input_messages(item)),
        **_numbered("llm.output_messages", item.output_messages),
    }
    return {name: value for name, value in found.items() if value is not None}


def otlp_of(item: Interaction) -> dict[str, Any]:
    """Return the span in OTLP JSON as protobuf writes it, with the attributes of MLflow."""
    usage = {"input_tokens": item.input_tokens, "output_tokens": item.output_tokens}
    attributes: dict[str, Any] = {
        "mlflow.spanType": "CHAT_MODEL",
        "mlflow.spanInputs": {"messages": [_plain(m) for m in _input_messages(item)]},
        "mlflow.spanOutputs": {"messages": [_plain(m) for m in item.output_messages]} if item.output_messages else None,
        "mlflow.llm.model": item.response_model or item.request_model,
        "mlflow.chat.tokenUsage": _with_total(usage) if None not in usage.values() else None,
    }
    return {
        "trace_id": _bytes(item.trace_id),
        "span_id": _bytes(item.span_id),
        "parent_span_id": _bytes(item.parent_span_id),
        "name": item.request_model or "call",
        "start_time_unix_nano": _ns(item.started_at),
        "end_time_unix_nano": _ns(ended_at(item)),
        "status": {"code": "STATUS_CODE_ERROR" if item.status is Status.ERROR else "STATUS_CODE_OK"},
        "attributes": [{"key": name, "value": _any(value)} for name, value in attributes.items() if value is not None],
    }


def _input_messages(item: Interaction) -> Sequence[ChatMessage]:
    system = [ChatMessage(role="system", content=item.system_prompt)] if item.system_prompt else []
    return [*system, *item.input_messages]


def _plain(message: ChatMessage) -> dict[str, Any]:
    calls = [
        {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}
        for call in message.tool_calls
    ]
    found = {"role": message.role, "content": message.content, "tool_calls": calls or None}
    found["tool_call_id"] = message.tool_call_id
    return {key: value for key, value in found.items() if value is not None}


def _numbered(prefix: str, messages: Sequence[ChatMessage]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for place, message in enumerate(messages):
        at = f"{prefix}.{place}.message"
        found |= {f"{at}.role": message.role, f"{at}.content": message.content or None}
        found[f"{at}.tool_call_id"] = message.tool_call_id
        for number, call in enumerate(message.tool_calls):
            of = f"{at}.tool_calls.{number}.tool_call"
            found |= {f"{of}.id": call.id, f"{of}.function.name": call.name, f"{of}.function.arguments": call.arguments}
    return found


def _any(value: Any) -> dict[str, Any]:
    if isinstance(value, Mapping):
        return {"kvlist_value": {"values": [{"key": key, "value": _any(inner)} for key, inner in value.items()]}}
    if isinstance(value, list):
        return {"array_value": {"values": [_any(inner) for inner in value]}}
    return {"int_value": str(value)} if isinstance(value, int) else {"string_value": str(value)}


def _with_total(usage: Mapping[str, Any]) -> dict[str, int]:
    return {**usage, "total_tokens": sum(usage.values())}


def _bytes(id_: str | None) -> str:
    return base64.b64encode(bytes.fromhex(id_ or "")).decode()


def _ns(at: datetime) -> str:
    return str(round(at.timestamp() * 1_000_000) * 1000)
