"""Content blocks with a single key that names their kind, as in Bedrock's Converse API and similar frameworks."""

from collections.abc import Mapping
from typing import Any, Final

from monitor.errors import MalformedRecord
from monitor.ingest.json_text import read_json

CALL, RESULT, TEXT = "toolUse", "toolResult", "text"
KINDS: Final = frozenset([TEXT, CALL, RESULT, "json", "image", "document", "video", "reasoningContent", "cachePoint"])


def typed(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a tool call or a tool result with `type` and the names of other senders; return any other block unchanged.

    >>> typed({"toolUse": {"toolUseId": "t1", "name": "search", "input": {"q": 1}}})
    {'type': 'tool_use', 'id': 't1', 'name': 'search', 'input': {'q': 1}}
    """
    if "type" in block:
        return block
    if isinstance(call := block.get(CALL), Mapping):
        return {"type": "tool_use", "id": call.get("toolUseId"), "name": call.get("name"), "input": call.get("input")}
    if isinstance(result := block.get(RESULT), Mapping):
        return {
            "type": "tool_result",
            "tool_use_id": result.get("toolUseId"),
            "content": _result_content(result.get("content")),
        }
    return block


def blocks_of(text: str) -> list[Any] | None:
    """Return the blocks of a text that is a JSON list of blocks only; None for any other text."""
    if text[:2] != "[{":
        return None
    try:
        found = read_json(text, "content")
    except MalformedRecord:
        return None
    blocks = found and all(isinstance(one, dict) and len(one) == 1 and not KINDS.isdisjoint(one) for one in found)
    return found if blocks else None


def _result_content(content: Any) -> Any:
    """Return the texts of a tool result, or the whole content when it has anything but texts."""
    if isinstance(content, list):
        parts = [one.get(TEXT) if isinstance(one, Mapping) else one for one in content]
        texts = [text for text in parts if isinstance(text, str)]
        if len(texts) == len(parts):
            return "\n".join(texts)
    return content
