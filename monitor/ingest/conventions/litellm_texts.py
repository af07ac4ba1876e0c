"""The texts of a call through LiteLLM: one event for each message and choice, or the GenAI lists on the span."""

from collections.abc import Mapping
from typing import Any

from monitor.ingest.conventions.texts.call_texts import Texts
from monitor.ingest.conventions.texts.messages import SYSTEM_ROLES, read_message
from monitor.ingest.spans import OtlpLog

EVENT = "event_name"  # an attribute: the record's own event name is empty
PROMPT = "gen_ai.content.prompt"
CHOICE = "gen_ai.content.completion"
EVENTS = frozenset([PROMPT, CHOICE])


def event_of(record: OtlpLog) -> str | None:
    """Return which LiteLLM event this record is, or None."""
    name = record.attributes.get(EVENT) or record.event_name
    return name if isinstance(name, str) and name in EVENTS else None


def texts_of_event(event: str, record: OtlpLog) -> Texts:
    """Return the texts of an event. The body is the message or the choice; without a body, attributes have the text."""
    body = record.body if isinstance(record.body, Mapping) else {}
    return _choice(body, record.attributes) if event == CHOICE else _prompt(body, record.attributes)


def _prompt(body: Mapping[str, Any], attributes: Mapping[str, Any]) -> Texts:
    messages = read_message(body or {"content": attributes.get("gen_ai.prompt")}, "user")
    return Texts(
        system=tuple(m.content for m in messages if m.role in SYSTEM_ROLES),
        inputs=tuple(m for m in messages if m.role not in SYSTEM_ROLES),
    )


def _choice(body: Mapping[str, Any], attributes: Mapping[str, Any]) -> Texts:
    message = body.get("message")
    raw = message if isinstance(message, Mapping) else {"content": attributes.get("message.content")}
    reason = body.get("finish_reason", attributes.get("finish_reason"))
    return Texts(
        outputs=tuple(read_message(raw, "assistant")),
        finish_reasons=(reason,) if isinstance(reason, str) and reason else (),
    )
