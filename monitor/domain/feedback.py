"""Feedback on interactions, and the cases that it proposes."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Literal

from monitor.domain.candidate_basis import ALONE, NO_BASIS, NO_PROVENANCE, Basis, Group, Provenance
from monitor.domain.failure_category import Categorization
from monitor.domain.interaction import ChatMessage, Document
from replay.types import Severity

Source = Literal["user", "reviewer", "system"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRule:
    """The scale of a score. `low` and `high` are its ends. With `falling`, `low` is the good end.

    Without both ends a number is stored and not interpreted. `source` names the sender; None takes it from the record.
    `expected_attribute` is the attribute of an evaluation event with the expected answer.
    """

    low: float | None = None
    high: float | None = None
    falling: bool = False
    good_labels: frozenset[str] = frozenset()
    bad_labels: frozenset[str] = frozenset()
    source: Source | None = None
    expected_attribute: str | None = None


class LinkMethod(StrEnum):
    """The key that linked feedback to an interaction, the most reliable first."""

    INTERACTION_ID = "interaction_id"
    SPAN = "span"  # trace id and span id
    RESPONSE_ID = "response_id"
    TRACE = "trace"  # the last answering call of the trace, or below the span when the span is a step that contains it
    CONVERSATION = "conversation"  # the latest call of the conversation at or before the feedback

    @property
    def rank(self) -> int:
        """0 for the most reliable."""
        return list(LinkMethod).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkCandidate:
    """One interaction that a key of one feedback matches."""

    feedback_id: str
    interaction_id: str
    method: LinkMethod
    started_at: datetime
    answered: bool = True  # it has an answer: it neither failed nor only requested a tool
    deployment: str | None = None  # of the interaction


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """The interaction that a feedback belongs to, and the key that matched. The feedback takes its
    deployment from it.
    """

    feedback_id: str
    interaction_id: str
    method: LinkMethod
    deployment: str | None = None
    started_at: datetime | None = field(default=None, compare=False)  # of the interaction


class FeedbackKind(StrEnum):
    THUMB = "thumb"
    RATING = "rating"
    EDIT = "edit"
    RETRY = "retry"
    REPORT = "report"
    DISCARD = "discard"  # the user threw the answer away or undid its effect
    TICKET = "ticket"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """One signal as it was sent, and the interaction it is linked to.

    `value` is -1 or 1 for a thumb, 0..1 for a rating. `text` is the edited text of an edit. `is_correction` means that
    the output was wrong; monitor/feedback decides it. `name`, `label` and `score` are those of a score, annotation or
    assessment of another product's client, on the scale of that product. `record` is the JSON that a read request of
    that product returns, None when the product reads nothing back. A signal that another one `overrides` stays stored
    and does not count. `limited_to` has the deployments that the sender is limited to, as JSON: the signal is linked
    only to calls of these.
    """

    id: str
    deployment: str
    at: datetime
    received_at: datetime
    kind: FeedbackKind
    source: str  # "user", "reviewer", "system"
    value: float | None = None
    text: str | None = None
    comment: str | None = None
    expected: str | None = None
    failure_category: str | None = None
    interaction_id: str | None = None
    trace_id: str | None = None
    span_id: str | None = None
    response_id: str | None = None
    conversation_id: str | None = None
    is_correction: bool = False
    linked_interaction_id: str | None = None
    link_method: str | None = None
    name: str | None = None
    label: str | None = None
    score: float | None = None
    overrides: str | None = None
    record: str | None = None
    limited_to: str | None = None
    revisable: bool = False  # the sender may send it again under the same id, and the later one counts. Not stored
    only_revises: bool = False  # only update an existing row of this id, never insert. Not stored


class CandidateState(StrEnum):
    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A case that a correction proposes for the dynamic set.

    `messages` are the conversation before the corrected answer, without the system prompt. `input_text` is its last
    user message. `content_hash` identifies the conversation, so a question enters once. `edited_messages` replace the
    conversation after a reviewer changed it. `bad_output` is the answer that was corrected. `revision` counts edits and
    decisions. `reason` belongs to the last decision. `feedback_id` is the id of the feedback or of the turn signal.
    `held` are the reasons why only a person may accept it. `group` is computed when a candidate is read.
    """

    id: str
    deployment: str
    interaction_id: str
    feedback_id: str
    input_text: str
    expected: str
    category: str
    failure_category: str
    content_hash: str
    state: CandidateState
    proposed_at: datetime
    decided_at: datetime | None = None
    decided_by: str | None = None
    reason: str | None = None
    messages: tuple[ChatMessage, ...] = ()
    edited_messages: tuple[ChatMessage, ...] | None = None
    system_prompt: str | None = None
    documents: tuple[Document, ...] = ()
    bad_output: str = ""
    must_include: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    severity: Severity = Severity.MEDIUM
    revision: int = 0
    basis: Basis = NO_BASIS
    severity_reason: str = "default"
    provenance: Provenance = NO_PROVENANCE
    categorization: Categorization | None = None  # None before the taxonomy existed
    held: tuple[str, ...] = ()
    group: Group = ALONE

    @property
    def input(self) -> tuple[ChatMessage, ...]:
        """Return the messages of the case: the edited ones, else the logged ones."""
        return self.edited_messages or self.messages or (ChatMessage(role="user", content=self.input_text),)

    @property
    def question(self) -> str:
        """Return the last user message of `input`."""
        return next((m.content for m in reversed(self.input) if m.role == "user"), "")

    @property
    def ready(self) -> bool:
        """Return whether it has an expectation. A candidate without one cannot be accepted."""
        return any(text.strip() for text in (self.expected, *self.must_include, *self.must_not))


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectionDay:
    """The production interactions of a day, and the corrections received on it."""

    interactions: int
    corrections: int
