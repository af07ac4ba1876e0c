"""The messages of a call as they are kept: what has a column of its own is not written a second time.

The last message of the user is `input_text`, and where one message alone answers, its text is `output_text`. In their
JSON these two have no `content`; a message that was kept before this, or has no such column, has its own.
"""

from collections.abc import Sequence
from functools import lru_cache

from monitor.domain.interaction import ChatMessage, Interaction
from monitor.store.engine.json_columns import messages_to_json


def inputs_to_json(item: Interaction) -> str:
    return input_messages_to_json(item.input_messages)


def input_messages_to_json(messages: Sequence[ChatMessage]) -> str:
    """The messages without the text of the last user message, which has a column of its own."""
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
    """What is left of a message that is a text and nothing else."""
    return messages_to_json([ChatMessage(role=role, content="")], elsewhere=0)


def _last_of_user(messages: Sequence[ChatMessage]) -> int | None:
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "user":
            return place
    return None
