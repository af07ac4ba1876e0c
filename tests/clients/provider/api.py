"""The interface of one mock API: which requests it accepts, and how it decodes, answers and rejects them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tests.clients.provider.call import Answer, ModelRequest, ModelResponse


@dataclass(frozen=True, slots=True)
class Wire:
    """An encoded body: the chunks of a stream, or one chunk."""

    content_type: str
    pieces: Iterator[bytes]


@dataclass(frozen=True, slots=True)
class Failure:
    http_status: int
    kind: str  # the API's own name of the status
    message: str


class Api(Protocol):
    name: str

    def takes(self, path: str) -> bool:
        """Return whether a POST to this path belongs to this API."""

    def read(self, path: str, body: Mapping[str, Any]) -> ModelRequest: ...

    def write(self, request: ModelRequest, answer: Answer) -> tuple[Wire, ModelResponse]: ...

    def fail(self, failure: Failure) -> Mapping[str, Any]: ...


def number(value: Any) -> float | None:
    return None if value is None else float(value)
