"""Whether the replays of a set against a deployment happen and say something."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

_REPLAYS = "replays of "


def replays_of(deployment: str, set_name: str) -> str:
    """Return what findings and alerts about these replays are about."""
    return f"{_REPLAYS}{set_name} on {deployment}"


def is_about_replays(source: str | None) -> bool:
    return source is not None and source.startswith(_REPLAYS)


class ReplayState(StrEnum):
    GOOD = "good"
    FAILED = "failed"
    INSUFFICIENT = "insufficient"  # too few of its cases have a score
    TOO_FEW_CASES = "too_few_cases"  # in the set, or in common with the nights before
    MISSED = "missed"  # a planned instant passed, and no run ended


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedRun:
    """A run that ended. `state` is None where nothing follows from it: it was cancelled, or is not judged yet."""

    id: str
    planned_at: datetime
    state: ReplayState | None
    by_hand: bool
    crashed: bool  # driftd crashed on it, and set it aside
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenRun:
    """A run that is planned, at work or waiting. `due_since` is when driftd learnt of it."""

    id: str
    due_since: datetime
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Expected:
    """What a schedule demands. `missed` is its first instant without a run that ended, None when each has one; `due`
    says that the schedule is about to plan one.
    """

    schedule: str
    missed: datetime | None
    due: bool
    handled: bool  # driftd ran at that instant, or caught it up


@dataclass(frozen=True, slots=True, kw_only=True)
class Replays:
    """What the tables hold of one pair; `ended` begins with the newest. `empty_since` is when the set was first seen
    without cases, None when it has some.
    """

    deployment: str
    set_name: str
    dynamic: bool
    ended: tuple[EndedRun, ...]
    open: OpenRun | None
    expected: tuple[Expected, ...]
    empty_since: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayHealth:
    """The state of the replays of one pair, and the sentence that says why and what to do."""

    state: ReplayState
    reason: str
