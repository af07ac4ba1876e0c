"""The base types of the API schema."""

from typing import Generic, TypeVar

from pydantic import BaseModel, ConfigDict

T = TypeVar("T")


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # a command needs few models


class ListPage(Wire, Generic[T]):
    """A page of a list, newest first; `next_cursor` fetches the next page and is null on the last one."""

    items: list[T]
    next_cursor: str | None


class Rejected(Wire):
    index: int
    code: str
    reason: str


class BatchResult(Wire):
    """The result of a batch write. It is sent after the commit."""

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
