"""Texts in numbered attributes such as `gen_ai.prompt.0.content`, which OpenLLMetry sent before it sent lists."""

from collections.abc import Mapping
from typing import Any

from monitor.domain.interaction import ChatMessage, ToolCall
from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.conventions.texts.json_list import read_list
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, as_text, read_message
from monitor.ingest.json_text import storable_text

PROMPT = "gen_ai.prompt."
COMPLETION = "gen_ai.completion."
MARKERS = frozenset(f"{kind}0.{field}" for kind in (PROMPT, COMPLETION) for field in ("role", "content"))
CALLS = "tool_calls."
MAX_DIGITS = 9  # of a number: Python refuses numbers of several thousand digits
OLD_CALL = "function_call"  # the old form, for a single call

Fields = dict[str, Any]  # of one message: attribute names after its number


def texts_of(attributes: Mapping[str, Any]) -> Texts:
    """Return the messages in the order of their numbers. A content is text, or JSON of message parts."""
    prompts, completions = _numbered(attributes, PROMPT), _numbered(attributes, COMPLETION)
    inputs = [m for number in sorted(prompts) for m in _message(prompts[number], "user")]
    choices = [completions[number] for number in sorted(completions)]
    answers = [m for c in choices for m in _message(c, "assistant")]
    reasons = [c.get("finish_reason") for c in choices]
    return Texts(
        system=tuple(m.content for m in inputs if m.role in SYSTEM_ROLES),
        inputs=tuple(m for m in inputs if m.role not in SYSTEM_ROLES),
        outputs=tuple(answers),
        finish_reasons=tuple(r for r in reasons if isinstance(r, str) and r),
        cut=any(map(_is_cut, (*prompts.values(), *choices))),
        answer_cut=any(map(_is_cut, choices)),
    )


def _numbered(attributes: Mapping[str, Any], kind: str) -> dict[int, Fields]:
    found: dict[int, Fields] = {}
    at = len(kind)
    for name, value in attributes.items():
        if name.startswith(kind):
            number, _, field = name[at:].partition(".")
            if field and len(number) <= MAX_DIGITS and number.isdecimal():
                found.setdefault(int(number), {})[field] = value
    return found


def _message(fields: Fields, role: str) -> list[ChatMessage]:
    content = fields.get("content")
    found_role = fields.get("role")
    calls = _calls(fields)
    raw = {
        "role": {"model": "assistant", "human": "user"}.get(str(found_role), found_role) or role,
        "content": _parts(content) if isinstance(content, str) and content[:2] in ("[{", '["') else content,
        "tool_call_id": fields.get("tool_call_id") or None,
    }
    messages = read_message(raw, role)
    if not calls:
        return messages
    content_text = messages[-1].content if messages else ""
    return [*messages[:-1], ChatMessage(role=str(raw["role"]), content=content_text, tool_calls=calls)]


def _parts(content: str) -> Any:
    """Return the parts when the content is JSON of message parts. An answer in JSON mode is plain text."""
    read = read_list(content)
    parts = [p for p in read.items if isinstance(p, dict) and isinstance(p.get("type"), str)]
    return parts if parts and len(parts) == len(read.items) else storable_text(content)


def _is_cut(fields: Fields) -> bool:
    content = fields.get("content")
    if not isinstance(content, str) or not content.startswith('[{"type"'):
        return False
    return read_list(content).cut


def _calls(fields: Fields) -> tuple[ToolCall, ...]:
    """Return the tool calls from `tool_calls.0.name`, one JSON text, or the old `function_call.name`."""
    numbered = _numbered({f"{n}": v for n, v in fields.items() if n.startswith(CALLS)}, CALLS)
    found = [numbered[number] for number in sorted(numbered)]
    if f"{OLD_CALL}.name" in fields:
        found.append({key: fields.get(f"{OLD_CALL}.{key}") for key in ("name", "arguments")})
    if isinstance(fields.get("tool_calls"), str):
        messages = read_message({"tool_calls": list(read_list(fields["tool_calls"]).items)}, "")
        return tuple(call for message in messages for call in message.tool_calls)
    return tuple(
        ToolCall(
            id=call["id"] if isinstance(call.get("id"), str) else None,
            name=as_text(call.get("name") or ""),
            arguments=as_text(call.get("arguments") or ""),
        )
        for call in found
        if call.get("name") or call.get("arguments")
    )
