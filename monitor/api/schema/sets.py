"""Eval sets and their cases."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from monitor.api.schema.wire import Wire


class SetItem(Wire):
    name: str
    kind: Literal["frozen", "dynamic"]
    revision: str
    created_at: datetime
    cases: int
    sealed: bool
    parent: str | None
    origin: str


class ImportSet(Wire):
    """A revision for a configured set: the cases in the format of docs/config.md, one object each.

    `allow_sealed` stores questions of a sealed set in a dynamic set too, where everyone with the role `read` sees them.
    """

    name: str
    cases: list[dict[str, Any]]
    origin: str = "api"
    allow_sealed: bool = False


class UnscoredCase(Wire):
    """A case that a configured scorer of its set cannot judge: every replay leaves it unscored."""

    case_id: str
    reason: str


class ImportResult(Wire):
    """`unscored` names the cases that the scorers of the set cannot judge, and what they lack."""

    name: str
    revision: str
    cases: int
    new: bool
    unscored: list[UnscoredCase] = Field(default_factory=list)


class SetDiff(Wire):
    """Ids of the cases that differ; `changed` leads to the names of the fields that do. No texts."""

    before: str
    after: str
    entered: list[str]
    left: list[str]
    changed: dict[str, list[str]]
    same: int


class SetExport(Wire):
    """A revision as it can be imported again; who is given it sees all of it, and stands in the log of reveals."""

    name: str
    kind: Literal["frozen", "dynamic"]
    revision: str
    canary: str
    cases: list[dict[str, Any]]


class RotateKey(Wire):
    """Seal everything of the set with its configured key."""

    name: str


class RotatedKey(Wire):
    """Rows that were sealed anew; `compaction` is the order that takes the old bytes out of the file."""

    name: str
    key_id: str
    cases: int
    outcomes: int
    scores: int
    compaction: str | None


class CaseItem(Wire):
    """`input` and what is expected are null without the role `reveal` when the set is sealed."""

    id: str
    set_name: str
    revision: str
    category: str
    severity: str
    input: list[dict[str, str]] | None
    references: list[str] | None
    must_include: list[str] | None = None
    must_not: list[str] | None = None
    ideal: str | None = None
