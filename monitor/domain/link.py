"""What ties feedback to the interaction it speaks of."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LinkMethod(StrEnum):
    """Which key matched, the most trusted first."""

    INTERACTION_ID = "interaction_id"
    SPAN = "span"  # trace id and span id
    RESPONSE_ID = "response_id"
    TRACE = "trace"  # the trace id alone: several calls may share it
    CONVERSATION = "conversation"  # the latest call of the conversation at or before the feedback

    @property
    def rank(self) -> int:
        """0 for the most trusted."""
        return list(LinkMethod).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCandidate:
    """One interaction that a key of one feedback matches."""

    feedback_id: str
    interaction_id: str
    method: LinkMethod
    started_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The interaction a feedback belongs to, and which key said so."""

    feedback_id: str
    interaction_id: str
    method: LinkMethod
