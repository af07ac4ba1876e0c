"""What every answer is made of."""

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # a command needs few of them


class ListPage(Wire, Generic[T]):
    """A list, newest first; `next_cursor` fetches what follows, null at the end."""

    items: list[T]
    next_cursor: str | None


class Rejected(Wire):
    index: int
    code: str
    reason: str


class BatchResult(Wire):
    """What became of a batch write. It is sent after the commit."""

    accepted: int
    duplicates: int
    rejected: list[Rejected]


class Problem(Wire):
    """RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    code: str
