"""Read the texts of a call from a provider's JSON: the request that was sent and the answer that was received.

Supported: OpenAI chat completions and Responses, Anthropic messages, Gemini contents, Ollama, and LangChain's messages.
MLflow and LangSmith record calls in this form. Any other object is the input or output of an application's function.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from monitor.domain.interaction import ChatMessage
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.conventions.texts.langchain_messages import plain_message
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, as_text, read_message

ITEM_ROLES = {"function_call": "assistant", "function_call_output": "tool"}  # of the Responses API, which have no role
MAX_DEPTH = 3  # of lists: LangChain sends a list of conversations
SKIPPED_ITEMS = ("reasoning",)
SYSTEM_KEYS = ("instructions", "system")
CONVERSATION_KEYS = ("messages", "input", "contents", "prompts", "prompt")


def texts_of_request(request: Any) -> Texts:
    """Return the system prompt and the input messages."""
    if request is None:
        return Texts()
    if not isinstance(request, dict):
        return _inputs(_messages(request, "user"))
    conversation = next((request[key] for key in CONVERSATION_KEYS if request.get(key)), None)
    system = [m for key in SYSTEM_KEYS if key in request for m in _messages(request[key], "system")]
    if conversation is None and not system:
        return _inputs(_function_messages(request, "user"))
    messages = _messages(conversation, "user")
    return _inputs([*_as_system(system), *messages] if system else messages)


def texts_of_answer(answer: Any) -> Texts:
    """Return the output messages and finish reasons of all choices."""
    if not isinstance(answer, dict):
        return Texts(outputs=tuple(_messages(answer, "assistant")))
    for key, read in (("choices", _choices), ("candidates", _candidates), ("generations", _generations)):
        if isinstance(answer.get(key), list):
            return read(answer[key])
    if isinstance(answer.get("output"), list):
        return _responses(answer)
    output = next((answer[key] for key in ("message", "output", "messages") if answer.get(key)), None)
    if output is None and "content" in answer:
        output = answer
    outputs = _function_messages(answer, "assistant") if output is None else _messages(output, "assistant")
    return Texts(
        outputs=tuple(outputs), finish_reasons=_first_text(answer, "stop_reason", "done_reason", "finish_reason")
    )


def has_finish_reason_field(answer: Any) -> bool:
    """Return whether a complete answer of this shape has a finish reason. Without one it is incomplete."""
    return isinstance(answer, dict) and any(key in answer for key in ("choices", "candidates", "stop_reason"))


def finish_reasons_of_answer(answer: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the finish reasons of `texts_of_answer`, without reading the messages of choices."""
    choices = answer.get("choices")
    if isinstance(answer, dict) and isinstance(choices, list):
        return _reasons_of_choices([c for c in choices if isinstance(c, dict)])
    return texts_of_answer(answer).finish_reasons


def _choices(choices: list[Any]) -> Texts:
    found = [c for c in choices if isinstance(c, dict)]
    raw_messages = [c["message"] if isinstance(c.get("message"), dict) else c.get("text") for c in found]
    return Texts(
        outputs=tuple(m for message in raw_messages for m in _messages(message, "assistant")),
        finish_reasons=_reasons_of_choices(found),
    )


def _reasons_of_choices(choices: list[dict[str, Any]]) -> tuple[str, ...]:
    return tuple(r for c in choices for r in _first_text(c, "finish_reason"))


def _candidates(candidates: list[Any]) -> Texts:
    found = [c for c in candidates if isinstance(c, dict)]
    return Texts(
        outputs=tuple(m for c in found for m in _messages(c.get("content"), "assistant")),
        finish_reasons=tuple(r for c in found for r in _first_text(c, "finishReason", "finish_reason")),
    )


def _generations(generations: list[Any]) -> Texts:
    """Read LangChain's generations: a list of choices for each prompt; a call has one prompt."""
    flat = [g for of_prompt in generations for g in (of_prompt if isinstance(of_prompt, list) else [of_prompt])]
    found = [g for g in flat if isinstance(g, dict)]
    raw_messages = [g.get("message") or g.get("text") for g in found]
    reasons = [_generation_reason(g) for g in found]
    return Texts(
        outputs=tuple(m for message in raw_messages for m in _messages(message, "assistant")),
        finish_reasons=tuple(r for reason in reasons for r in reason),
    )


def _generation_reason(generation: Mapping[str, Any]) -> tuple[str, ...]:
    message = generation.get("message")
    inner = message.get("kwargs", message) if isinstance(message, dict) else {}
    for metadata in (generation.get("generation_info"), inner.get("response_metadata")):
        if isinstance(metadata, dict) and (
            reason := _first_text(metadata, "finish_reason", "stop_reason", "done_reason")
        ):
            return reason
    return ()


def _responses(answer: Mapping[str, Any]) -> Texts:
    """Read OpenAI's Responses API. Its status is `completed` even for tool calls, so tool calls decide the reason."""
    outputs = _merge_items(_messages(answer["output"], "assistant"))
    incomplete = answer.get("incomplete_details")
    reason = _first_text(incomplete, "reason") if isinstance(incomplete, dict) else ()
    if not reason:
        reason = ("tool_calls",) if any(m.tool_calls for m in outputs) else _first_text(answer, "status")
    return Texts(outputs=tuple(outputs), finish_reasons=reason)


def _merge_items(messages: list[ChatMessage]) -> list[ChatMessage]:
    """Merge text items and tool-call items into one assistant message."""
    if len(messages) < 2:
        return messages
    return [
        ChatMessage(
            role="assistant",
            content="\n".join(m.content for m in messages if m.content),
            tool_calls=tuple(call for m in messages for call in m.tool_calls),
        )
    ]


def _messages(value: Any, role: str, depth: int = 0) -> list[ChatMessage]:
    """Read text, a message, message parts, or a list of messages, which LangChain wraps in another list."""
    if value is None or value == "":
        return []
    if isinstance(value, dict):
        return _message(value, role)
    if not isinstance(value, list) or depth == MAX_DEPTH:
        return [ChatMessage(role=role, content=as_text(value))]
    if role == "system":
        return read_message({"content": value}, role)
    return [message for item in value for message in _messages(item, role, depth + 1)]


def _is_tool_definition(raw: Mapping[str, Any]) -> bool:
    """Return whether this is a tool definition. Langfuse's callback lists tool definitions among the messages."""
    content = raw.get("content")
    return raw["role"] == "tool" and isinstance(content, dict) and isinstance(content.get("function"), dict)


def _message(raw: Mapping[str, Any], role: str) -> list[ChatMessage]:
    kind = raw.get("type")
    if kind is None and "role" in raw and raw["role"] != "model" and "tool_calls" not in raw:
        return [] if _is_tool_definition(raw) else read_message(raw, role)  # nearly all messages
    if kind in SKIPPED_ITEMS:
        return []
    if isinstance(kind, str) and kind in ITEM_ROLES:
        return read_message({"content": [raw]}, ITEM_ROLES[kind])
    message = plain_message(raw)
    if message.get("role") == "model":
        message = {**message, "role": "assistant"}  # Gemini's name for it
    return read_message(message, role)


def _function_messages(arguments: Mapping[str, Any], role: str) -> list[ChatMessage]:
    """Return the input or output of a traced function: its only text, or everything as JSON."""
    texts = [value for value in arguments.values() if isinstance(value, str) and value]
    if all(value is None for value in arguments.values()):
        return []
    if len(texts) == len(arguments) == 1:
        return [ChatMessage(role=role, content=texts[0])]
    return [ChatMessage(role=role, content=as_text(arguments))]


def _as_system(messages: Iterable[ChatMessage]) -> list[ChatMessage]:
    return [ChatMessage(role="system", content=m.content) for m in messages]


def _inputs(messages: list[ChatMessage]) -> Texts:
    return Texts(
        system=tuple([m.content for m in messages if m.role in SYSTEM_ROLES and m.content]),
        inputs=tuple([m for m in messages if m.role not in SYSTEM_ROLES]),
    )


def _first_text(found: Mapping[str, Any], *names: str) -> tuple[str, ...]:
    """Return the first of `names` that is text, as a tuple of one; empty without one."""
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value:
            return (value,)
    return ()
