"""What the protocols of model endpoints differ in: pure functions between cases, wire JSON and replies."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from replay.targets.answer_fields import Json
from replay.targets.sse import Event
from replay.types import Case, Reply, ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What is asked of a model. None leaves a parameter to the endpoint's own default."""

    model: str
    temperature: float | None = None
    top_p: float | None = None
    max_tokens: int | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer of the endpoint: what it says, and how it is written into the thread that is sent next.

    `calls` are the tools that it wants called; the reply's text may be empty then.
    """

    reply: Reply
    calls: tuple[ToolCall, ...] = ()
    written: Sequence[Json] = field(default=())


class StreamAccumulator(Protocol):
    """Puts a streamed answer together."""

    def add(self, event: Event) -> bool:
        """Take one event; whether it holds some of the answer. CallError when the stream tells of a failure."""
        ...

    def document(self) -> Json:
        """The answer as it would have come in one piece. CallError when the stream ended before it did."""
        ...


class Dialect(Protocol):
    """One protocol. `thread` is the field of the body that holds the conversation."""

    path: str
    thread: str

    def headers(self, key: str | None) -> Mapping[str, str]: ...

    def body(self, parameters: Parameters, system: str | None, case: Case, *, stream: bool) -> Json: ...

    def read(self, document: Json, headers: Mapping[str, str], latency_ms: float) -> Turn:
        """Raises CallError for an answer that is malformed, filtered or empty. A refusal is an answer."""
        ...

    def results(self, calls: Sequence[ToolCall]) -> list[Json]:
        """What the tools gave back, for the thread."""
        ...

    def fold(self) -> StreamAccumulator: ...


def given(**values: object) -> Json:
    """What is not None."""
    return {name: value for name, value in values.items() if value is not None}
