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
    format: str | None = None
    licence: str | None = None
    source: str | None = None
    has_benchmark_canary: bool = False
    measures: str | None = None


class PublishedAs(Wire):
    """What the authors of published cases prescribe and ask for. `scorers` are settings of `sets.NAME.scorers`."""

    format: str
    metric: str | None = None
    scorers: list[dict[str, Any]] = Field(default_factory=list)
    licence: str | None = None
    source: str | None = None
    canary: str | None = None


class ImportSet(Wire):
    """A revision for a configured set, with cases in the format of docs/config.md.

    `allow_sealed` also stores questions of a sealed set in a dynamic set, where everyone with the role `read` sees
    them. `published` is for cases of a benchmark or another tool; with a canary, the set must be
    `contamination_aware`.
    """

    name: str
    cases: list[dict[str, Any]]
    origin: str = "api"
    allow_sealed: bool = False
    published: PublishedAs | None = None


class UnscoredCase(Wire):
    """A case that a scorer of its set cannot judge: every replay leaves it unscored."""

    case_id: str
    reason: str


class ImportResult(Wire):
    """The result of an import. `unscored` lists the cases that the scorers cannot judge, with the reasons. `format`,
    `metric` and `prescribed` repeat what was published; `scorer_differences` compare the scorers of the set with it.
    """

    name: str
    revision: str
    cases: int
    new: bool
    unscored: list[UnscoredCase] = Field(default_factory=list)
    format: str | None = None
    metric: str | None = None
    prescribed: list[dict[str, Any]] = Field(default_factory=list)
    scorer_differences: list[str] = Field(default_factory=list)


class SetDiff(Wire):
    """The ids of cases that differ; `changed` has the names of the changed fields by id. It contains no texts."""

    before: str
    after: str
    entered: list[str]
    left: list[str]
    changed: dict[str, list[str]]
    same: int


class SetExport(Wire):
    """A revision in the import format, with all texts. Each export adds an entry to the reveal log."""

    name: str
    kind: Literal["frozen", "dynamic"]
    revision: str
    canary: str
    cases: list[dict[str, Any]]


class RotateKey(Wire):
    """Encrypt everything of the set with its configured key."""

    name: str


class RotatedKey(Wire):
    """The number of encrypted rows; `compaction` is the compaction that removes the old bytes from the file."""

    name: str
    key_id: str
    cases: int
    outcomes: int
    scores: int
    compaction: str | None


class CaseItem(Wire):
    """A case. `input` and the expectation are null for a sealed set without the role `reveal`. `part` is that of a
    dynamic set: `sampled` or `corrected`, null for an imported case. `cluster` is that of variants of one case.
    `turns` are the questions of a case that is asked turn by turn, null for any other.
    """

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
    turns: list[str] | None = None
    part: str | None = None
    cluster: str | None = None
