"""An import of results of another tool: from a source of the configuration, or over the API."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Final

UPLOAD: Final = "upload"  # the source of files that were sent to the API


class JobState(StrEnum):
    """The state of an import."""

    OPEN = "open"
    COMPLETE = "complete"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """What a person adds to the conditions that the tool recorded. None means that the tool recorded it."""

    version: str | None = None
    model: str | None = None
    started_at: datetime | None = None
    scales: Mapping[str, tuple[float, float]] = field(default_factory=dict, hash=False)
    primary: str | None = None
    accept_unknown: bool = False
    file_time: bool = False  # the time of the file, for results whose tool records none

    def document(self) -> dict[str, Any]:
        """Return the options as JSON values."""
        return {
            "version": self.version,
            "model": self.model,
            "started_at": None if self.started_at is None else self.started_at.isoformat(),
            "scales": {metric: list(scale) for metric, scale in sorted(self.scales.items())},
            "primary": self.primary,
            "accept_unknown": self.accept_unknown,
            "file_time": self.file_time,
        }

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> "ImportOptions":
        """Return the options of their JSON values."""
        at = document["started_at"]
        return cls(
            version=document["version"],
            model=document["model"],
            started_at=None if at is None else datetime.fromisoformat(at),
            scales={metric: (low, high) for metric, (low, high) in document["scales"].items()},
            primary=document["primary"],
            accept_unknown=document["accept_unknown"],
            file_time=document["file_time"],
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRun:
    """A run of an import. `state` is new, continued, replaced or present (it was stored before). `details` has what
    `driftd results import` shows of it.
    """

    id: str
    state: str
    set_name: str
    model: str | None
    rows: int
    unknown_conditions: tuple[str, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultImport:
    """One import. `name` is its file for people, `digest` that of the content. `runs` are the runs that it stored.

    `modified_at` is the time of its newest file, None for an upload. `code` and `error` are the reason of a failure.
    `attempts` counts how often it began: more than once after a kill. `limited_to` are the deployments that its sender
    is limited to, None for all: the import reads and changes nothing else.
    """

    id: str
    source: str
    name: str
    digest: str
    deployment: str
    set_name: str | None
    at: datetime
    who: str
    reader: str
    bytes: int
    files: int
    modified_at: datetime | None = None
    format: str | None = None
    options: ImportOptions = field(default_factory=ImportOptions)
    state: JobState = JobState.OPEN
    started_at: datetime | None = None
    finished_at: datetime | None = None
    rows: int = 0
    runs: tuple[StoredRun, ...] = ()
    attempts: int = 0
    code: str | None = None
    error: str | None = None
    limited_to: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportEnd:
    """How an import ended."""

    state: JobState
    rows: int = 0
    runs: tuple[StoredRun, ...] = ()
    format: str | None = None
    code: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceImports:
    """The newest import of a source, the end of its newest complete one, and how many wait."""

    id: str
    state: JobState
    name: str
    error: str | None
    completed_at: datetime | None
    waiting: int
