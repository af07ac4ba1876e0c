"""Candidates for dynamic sets, and what reviewers do with them."""

from datetime import datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AwareDatetime, Field, model_validator

from monitor.api.schema.traffic import DocumentItem, FeedbackItem
from monitor.api.schema.wire import Wire

State = Literal["proposed", "accepted", "rejected"]
Severity = Literal["low", "medium", "high", "critical"]
Text = Annotated[str, Field(max_length=200_000)]
Texts = Annotated[list[Text], Field(max_length=100)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
Reason = Annotated[str, Field(max_length=2_000)]
MOST_ORDERS = 5_000


class CandidateItem(Wire):
    """A case that a correction proposes. `input_text` is the last user message of the conversation of `turns` messages,
    `bad_output` the answer that was corrected. One that is not `ready` does not say what a right answer is and cannot
    be accepted before it is edited. `input_edited`: a reviewer changed the conversation. `revision` counts edits and
    decisions.
    """

    id: str
    deployment: str
    interaction_id: str
    feedback_id: str
    category: str
    failure_category: str
    severity: Severity
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
    """An entry of the review log. `changed` names the fields that were edited."""

    id: str
    candidate_id: str
    deployment: str
    at: datetime
    who: str
    action: Literal["accept", "edit", "reject"]
    state: State
    changed: list[str]
    reason: str | None


class CandidateDetail(CandidateItem):
    """A candidate with all that was known before the corrected answer.

    `input` is the conversation as the case asks it. `correction` is null when the feedback is not kept any more.
    `obstacle` says why it cannot be accepted as it is: it expects nothing, or nothing that the set's scorers can judge.
    """

    case_id: str
    obstacle: str | None
    input: list[dict[str, str]]
    system_prompt: str | None
    documents: list[DocumentItem]
    correction: FeedbackItem | None
    decisions: list[DecisionItem]


class CandidateCountsItem(Wire):
    """`ready` are those of `proposed` that can be accepted as they are."""

    proposed: int
    ready: int
    accepted: int
    rejected: int


class ReviewCandidate(Wire):
    """An order of a reviewer. Fields that are left out stay as they are; with `accept` they are edited first.

    `input` is a text that replaces the last user message, or a list of messages that replaces the conversation.
    `revision` is that of the candidate as it was looked at: when somebody changed it since, the answer is 409.
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
    """The order for one of many candidates."""

    id: Name


class CandidateSelection(Wire):
    """Candidates by what they have in common; what is left out does not filter."""

    deployment: Name | None = None
    state: State = "proposed"
    category: Name | None = None
    failure_category: Name | None = None
    severity: Severity | None = None
    since: AwareDatetime | None = None
    until: AwareDatetime | None = None


class ReviewCandidates(Wire):
    """Many orders at once: `decisions` by id, or one `action` for all that `where` selects.

    A selection is answered page by page: send the `next_cursor` of the answer until it is null. With `dry_run` nothing
    is written and the answer says what would be.
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
            raise ValueError("give either decisions or where")
        if (self.where is None) != (self.action is None):
            raise ValueError("action belongs to where; each of the decisions has its own")
        return self


class RefusedReview(Wire):
    id: str
    code: str
    reason: str


class ReviewResult(Wire):
    """What became of many orders. `unchanged` were so already; the others went through although some were refused."""

    dry_run: bool
    accepted: int
    edited: int
    rejected: int
    unchanged: int
    refused: list[RefusedReview]
    next_cursor: str | None
