"""What ties feedback to the interaction it speaks of."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class LinkMethod(StrEnum):
    """Which key matched, the most trusted first."""

    INTERACTION_ID = "interaction_id"
    SPAN = "span"  # trace id and span id
    RESPONSE_ID = "response_id"
    TRACE = "trace"  # the last answering call of the trace, or under the span when that is a step around it
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
    answered: bool = True  # it answered, and did neither fail nor ask for a tool alone
    deployment: str | None = None  # of the interaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The interaction a feedback belongs to, and which key said so. Its deployment becomes the feedback's."""

    feedback_id: str
    interaction_id: str
    method: LinkMethod
    deployment: str | None = None
