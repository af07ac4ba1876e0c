"""The provider's record of one request: the question and the answer. The matrix compares rows with it."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any


class Finish(StrEnum):
    STOP = "stop"
    TOOL_CALLS = "tool_calls"


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool call. `arguments` is the JSON text in the answer."""

    id: str | None
    name: str
    arguments: str

    @property
    def plain(self) -> tuple[str, Any]:
        return self.name, json.loads(self.arguments or "{}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a request of any API. A tool result has the role `tool`."""

    role: str
    text: str
    tools: tuple[Tool, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """A request of any API in a common form. `system` is None without instructions."""

    model: str
    system: str | None
    messages: tuple[Message, ...]
    stream: bool = False
    tools: tuple[str, ...] = ()
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None
    options: Mapping[str, Any] = field(default_factory=dict)  # fields of one API only

    @property
    def last_text(self) -> str:
        return next((m.text for m in reversed(self.messages) if m.role == "user" and m.text), "")

    @property
    def has_result(self) -> bool:
        """Return whether the last message of the user is followed by a tool result."""
        for message in reversed(self.messages):
            if message.role in ("tool", "user"):
                return message.role == "tool"
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer before it is encoded for an API. Some input tokens are cached, some output tokens are reasoning."""

    id: str
    model: str
    created: int
    fingerprint: str
    text: str
    tool: Tool | None
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    reasoning_tokens: int

    @property
    def finish(self) -> Finish:
        return Finish.TOOL_CALLS if self.tool else Finish.STOP


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelResponse:
    """The part of an answer that its API can express. None means that the value was never sent."""

    response_id: str | None = None
    response_model: str | None = None
    system_fingerprint: str | None = None
    finish_reason: str | None = None
    text: str | None = None
    tool: Tool | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    reasoning_tokens: int | None = None


@dataclass(slots=True, kw_only=True)
class Call:
    """One request with its result: `http_status`, the answer, and whether the client disconnected before the end."""

    api: str
    request: ModelRequest
    began_at: datetime
    http_status: int = 200
    response: ModelResponse = field(default_factory=ModelResponse)
    ended_at: datetime | None = None
    abandoned: bool = False
