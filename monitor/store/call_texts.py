"""The messages of a call as they are kept: what has a column of its own is not written a second time.

The last message of the user is `input_text`, and where one message alone answers, its text is `output_text`. In their
JSON these two have no `content`; a message that was kept before this, or has no such column, has its own.
"""

from collections.abc import Sequence

from monitor.domain.interaction import ChatMessage, Interaction
from monitor.store.json_text import messages_to_json


def inputs_to_json(item: Interaction) -> str:
    return messages_to_json(item.input_messages, elsewhere=_last_of_user(item.input_messages))


def outputs_to_json(item: Interaction) -> str:
    said = item.output_messages
    return messages_to_json(said, elsewhere=0 if len(said) == 1 else None)


def _last_of_user(messages: Sequence[ChatMessage]) -> int | None:
    for place in range(len(messages) - 1, -1, -1):
        if messages[place].role == "user":
            return place
    return None
