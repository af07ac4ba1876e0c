"""What a reviewer does with candidates, and what is recorded of it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from monitor.domain.feedback import CandidateState
from monitor.domain.interaction import ChatMessage
from replay.types import Severity


class Action(StrEnum):
    ACCEPT = "accept"
    EDIT = "edit"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """New values of a candidate's fields; None leaves a field as it is.

    `question` replaces the last user message and keeps the rest of the conversation, `messages` replace all of it.
    """

    question: str | None = None
    messages: tuple[ChatMessage, ...] | None = None
    expected: str | None = None
    must_include: tuple[str, ...] | None = None
    must_not: tuple[str, ...] | None = None
    category: str | None = None
    failure_category: str | None = None
    severity: Severity | None = None


NO_EDIT = Edit()


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """One instruction of a reviewer. `revision` is that of the candidate as the reviewer saw it."""

    action: Action
    edit: Edit = NO_EDIT
    reason: str | None = None
    revision: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """An entry of the review log: who did what with a candidate, and which fields changed."""

    id: str
    candidate_id: str
    deployment: str
    at: datetime
    who: str
    action: Action
    state: CandidateState
    changed: tuple[str, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateFilter:
    """Which candidates of a list; None does not filter. `ready` are those that say what a right answer is."""

    state: CandidateState | None = None
    category: str | None = None
    failure_category: str | None = None
    severity: Severity | None = None
    ready: bool | None = None


EVERY_CANDIDATE = CandidateFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateCounts:
    """How many candidates a deployment has in each state. `ready` are the proposed ones that can be accepted as is."""

    proposed: int = 0
    ready: int = 0
    accepted: int = 0
    rejected: int = 0
