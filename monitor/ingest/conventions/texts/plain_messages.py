"""A fast decoder for the most common message list: JSON of messages with a role and one text each.

`messages.read_message` reads every shape from decoded values. This decoder reads one shape, gives the same result for
it, and returns None for any other.
"""

from typing import Any, Final, Literal

import msgspec

from monitor.domain.interaction import ChatMessage
from monitor.ingest.json_text import has_too_many_containers


class _Part(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    type: Literal["text"]
    content: str


class _Message(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    role: str
    parts: tuple[_Part] | None = None
    content: str | None = None
    finish_reason: str | None = None


_MESSAGES: Final = msgspec.json.Decoder(list[_Message])
Plain = tuple[tuple[ChatMessage, ...], tuple[str, ...]]  # the messages and their finish reasons


def plain_messages(value: Any) -> Plain | None:
    """Return the messages and their finish reasons; None unless the value is JSON text of plain messages."""
    if type(value) is not str or value[:1] != "[" or has_too_many_containers(value):
        return None
    try:
        found = _MESSAGES.decode(value)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return None
    messages = []
    reasons = []
    for one in found:
        text = one.content if one.parts is None else one.parts[0].content
        if text is None or not one.role or one.finish_reason == "":
            return None
        messages.append(ChatMessage(role=one.role, content=text))
        if one.finish_reason:
            reasons.append(one.finish_reason)
    return tuple(messages), tuple(reasons)
