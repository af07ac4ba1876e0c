"""Candidates for dynamic sets, and their reviews."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from monitor.api.schema.instant import RequestInstant
from monitor.api.schema.traffic import DocumentItem, FeedbackItem
from monitor.api.schema.wire import Wire

State = Literal["proposed", "accepted", "rejected"]
Severity = Literal["low", "medium", "high", "critical"]
Text = Annotated[str, Field(max_length=200_000)]
Texts = Annotated[list[Text], Field(max_length=100)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Reason = Annotated[str, Field(max_length=2_000)]
MOST_ORDERS = 5_000


class BasisItem(Wire):
    """Where an expectation comes from.

    `quote` is the text that it was read from, word for word. `confidence` is from 0 to 1. `constraints` are stated
    properties that no scorer checks. `rewritten_input` is a draft of a better request, for the reviewer.
    """

    kind: Literal["value", "edited_output", "constraint", "rewritten_input", "must_not", "none"]
    confidence: float
    source: Literal["expected", "edit", "comment", "turn", "answer", "reviewer", "none"]
    quote: str
    constraints: list[str]
    rewritten_input: str | None


class ProvenanceItem(Wire):
    """The call and the signal that proposed a candidate. `session` is a digest of the conversation id."""

    origin: Literal["feedback", "turn", "sample"]
    code: str
    detector: str
    detector_version: str
    score: float
    source: str
    app: str
    model: str | None
    prompt_version: str | None
    called_at: datetime | None
    session: str | None


class GroupItem(Wire):
    """The corrections of a question and of its near-duplicates.

    `values` are the right answers that they give, with the trust in each. With more than one, there is a `conflict`.
    """

    corrections: int
    users: int
    values: dict[str, float]
    conflict: bool


class CategorizationItem(Wire):
    """The failure category that driftd found, its category in the taxonomy, and why. A reviewer may choose another."""

    name: str
    parent: str
    confidence: float
    reason: str
    taxonomy: str


class CandidateItem(Wire):
    """A case that a correction proposes. `input_text` is the last user message of the conversation of `turns` messages,
    `bad_output` the corrected answer. A candidate that is not `ready` has no expectation and must be edited before
    it can be accepted. `input_edited`: a reviewer changed the conversation. `revision` counts edits and decisions.
    `feedback_id` is the id of the feedback or of the turn signal. `held` are the reasons why a person must look at
    it: it is never accepted by a policy or by a filter without `held`.
    """

    id: str
    deployment: str
    interaction_id: str
    feedback_id: str
    category: str
    failure_category: str
    categorization: CategorizationItem | None = None  # None before the taxonomy existed
    severity: Severity
    severity_reason: str
    basis: BasisItem
    held: list[str]
    group: GroupItem
    input_text: str
    turns: int
    bad_output: str
    expected: str
    must_include: list[str]
    must_not: list[str]
    ready: bool
    input_edited: bool
    state: State
    revision: int
    proposed_at: datetime
    decided_at: datetime | None
    decided_by: str | None
    reason: str | None


class DecisionItem(Wire):
    """An entry of the review log. `changed` has the names of the edited fields."""

    id: str
    candidate_id: str
    deployment: str
    at: datetime
    who: str
    action: Literal["accept", "edit", "reject", "undo"]
    state: State
    changed: list[str]
    reason: str | None


class CandidateDetail(CandidateItem):
    """A candidate with its context.

    `input` is the conversation of the case. `correction` is null if retention removed the feedback. `obstacle` is the
    reason why it cannot be accepted yet: it has no expectation, or none that a scorer of the set can judge.
    """

    case_id: str
    obstacle: str | None
    provenance: ProvenanceItem
    input: list[dict[str, str]]
    system_prompt: str | None
    documents: list[DocumentItem]
    correction: FeedbackItem | None
    decisions: list[DecisionItem]


class CandidateCountsItem(Wire):
    """Candidates by state. `ready` counts the proposed ones that can be accepted without an edit."""

    proposed: int
    ready: int
    accepted: int
    rejected: int


class ReviewCandidate(Wire):
    """A review. Omitted fields do not change; with `accept`, the given fields are edited first.

    `input` is a text that replaces the last user message, or a list of messages that replaces the conversation.
    `revision` is the revision that the reviewer read: if the candidate has changed since, the answer is 409.
    """

    action: Literal["accept", "edit", "reject"]
    reason: Reason | None = None
    revision: int | None = None
    input: Text | list[dict[str, Any]] | None = None
    expected: Text | None = None
    must_include: Texts | None = None
    must_not: Texts | None = None
    category: Name | None = None
    failure_category: Name | None = None
    severity: Severity | None = None


class ReviewOrder(ReviewCandidate):
    """The review of one candidate in a bulk request."""

    id: Name


class CandidateSelection(Wire):
    """A filter for candidates; omitted fields do not filter. To accept, `held` and `conflict` default to false."""

    deployment: Name | None = None
    state: State = "proposed"
    category: Name | None = None
    failure_category: Name | None = None
    severity: Severity | None = None
    held: bool | None = None
    conflict: bool | None = None
    since: RequestInstant | None = None
    until: RequestInstant | None = None


class ReviewCandidates(Wire):
    """Many reviews: either `decisions` by id, or one `action` for all candidates that `where` selects.

    A selection is processed in pages: repeat the request with `next_cursor` until it is null. With `dry_run`, nothing
    is written, and the answer has the counts of a real request.
    """

    decisions: Annotated[list[ReviewOrder], Field(max_length=MOST_ORDERS)] | None = None
    where: CandidateSelection | None = None
    action: Literal["accept", "reject"] | None = None
    reason: Reason | None = None
    cursor: Annotated[str, Field(max_length=1000)] | None = None
    dry_run: bool = False

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if (self.decisions is None) == (self.where is None):
            raise ValueError("set either decisions or where")
        if (self.where is None) != (self.action is None):
            raise ValueError("action is valid only with where; each decision has its own action")
        return self


class RefusedReview(Wire):
    id: str
    code: str
    reason: str


class ReviewResult(Wire):
    """The result of a bulk review. `unchanged` had the requested state already. Refused ones do not stop the others.
    `waiting` decisions are stored and wait for a second reviewer who agrees.
    """

    dry_run: bool
    accepted: int
    edited: int
    rejected: int
    unchanged: int
    waiting: int = 0
    refused: list[RefusedReview]
    next_cursor: str | None
