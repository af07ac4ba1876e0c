"""A message of a case as people read it."""

from replay.types import Image, Message


def said(message: Message) -> str:
    r"""Its texts, images and calls of tools, in their places.

    >>> from replay.types import Text, ToolCall
    >>> said(Message(role="user", content="What?", parts=(Image(url="https://h/a.png"), Text(text="What?"))))
    '[image https://h/a.png]\nWhat?'
    >>> said(Message(role="assistant", content="", tool_calls=(ToolCall(id="1", name="find", arguments="{}"),)))
    '[calls find({})]'
    """
    shown = [f"[image {part.url}]" if isinstance(part, Image) else part.text for part in message.parts]
    calls = [f"[calls {call.name}({call.arguments})]" for call in message.tool_calls]
    text = shown or [message.content]
    return "\n".join([*(text if any(text) or not calls else []), *calls])
