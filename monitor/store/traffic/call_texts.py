"""The stored messages of a call: a text with its own column is not stored a second time.

The last user message is `input_text`. When a single message answers, its text is `output_text`. In their JSON these two
messages have no `content`. Older messages, and messages without such a column, have their own.
"""

from collections.abc import Sequence
from functools import lru_cache

from monitor.domain.interaction import ChatMessage, Interaction
from monitor.store.engine.json_columns import messages_to_json


def inputs_to_json(item: Interaction) -> str:
    return input_messages_to_json(item.input_messages)


def input_messages_to_json(messages: Sequence[ChatMessage]) -> str:
    """Encode the messages without the text of the last user message, which has its own column."""
    return messages_to_json(messages, elsewhere=_last_of_user(messages))


def outputs_to_json(item: Interaction) -> str:
    messages = item.output_messages
    if len(messages) != 1:
        return messages_to_json(messages)
    [only] = messages
    if only.tool_calls or only.tool_call_id is not None:
        return messages_to_json(messages, elsewhere=0)
    return _role_alone(only.role)


@lru_cache(64)
def _role_alone(role: str) -> str:
    """Encode a message that consists of a text only, without the text."""
    return messages_to_json([ChatMessage(role=role, content="")], elsewhere=0)


def _last_of_user(messages: Sequence[ChatMessage]) -> int | None:
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "user":
            return place
    return None
