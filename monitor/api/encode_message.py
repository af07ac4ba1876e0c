"""The display text of a message."""

from replay.types import Image, Message


def message_text(message: Message) -> str:
    r"""Return the texts, images and tool calls of a message, in order.

    >>> from replay.types import Text, ToolCall
    >>> message_text(Message(role="user", content="What?", parts=(Image(url="https://h/a.png"), Text(text="What?"))))
    '[image https://h/a.png]\nWhat?'
    >>> message_text(Message(role="assistant", content="", tool_calls=(ToolCall(id="1", name="find", arguments="{}"),)))
    '[calls find({})]'
    """
    parts = [f"[image {part.url}]" if isinstance(part, Image) else part.text for part in message.parts]
    calls = [f"[calls {call.name}({call.arguments})]" for call in message.tool_calls]
    text = parts or [message.content]
    return "\n".join([*(text if any(text) or not calls else []), *calls])
