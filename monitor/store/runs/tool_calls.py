"""Encodes the tool calls of a reply as JSON text and decodes them."""

from collections.abc import Sequence
from dataclasses import asdict

from monitor.store.engine.json_columns import from_json, to_json
from replay.types import ToolCall


def calls_to_json(calls: Sequence[ToolCall]) -> str | None:
    """Return the JSON text; None when no tool was called."""
    return to_json([asdict(call) for call in calls]) if calls else None


def calls_from_json(text: str | None) -> tuple[ToolCall, ...]:
    return () if text is None else tuple(ToolCall(**call) for call in from_json(text))


def tools_context(outcome: str) -> str:
    """Return the context that sealed tool calls are bound to: they cannot be opened as those of another outcome."""
    return f"{outcome}/tools"
