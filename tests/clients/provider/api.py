"""What the server needs of one API: which requests are its own, and how they are read, answered and refused."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from tests.clients.provider.call import Answer, ModelRequest, ModelResponse


@dataclass(frozen=True, slots=True)
class Wire:
    """A body as it goes out: the pieces of a stream, or one piece."""

    content_type: str
    pieces: Iterator[bytes]


@dataclass(frozen=True, slots=True)
class Failure:
    http_status: int
    kind: str  # of the API's own words for the status
    message: str


class Api(Protocol):
    name: str

    def takes(self, path: str) -> bool:
        """Whether a POST to this path is one of this API."""

    def read(self, path: str, body: Mapping[str, Any]) -> ModelRequest: ...

    def write(self, request: ModelRequest, answer: Answer) -> tuple[Wire, ModelResponse]: ...

    def fail(self, failure: Failure) -> Mapping[str, Any]: ...


def number(value: Any) -> float | None:
    return None if value is None else float(value)
