"""Reviews of candidates by one or two people: the sheet of a reviewer, decisions, conflicts and agreement."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field

from monitor.api.schema.candidates import BasisItem, Reason, ReviewCandidate, Severity, State
from monitor.api.schema.traffic import DocumentItem
from monitor.api.schema.wire import Wire

SAMPLE = "sample"  # the signal of a call that was sampled for a dynamic set, without a correction
StandingName = Literal["waiting", "decided", "conflict"]


class QueuedCandidate(Wire):
    """A candidate that waits for a review by the caller."""

    id: str
    deployment: str
    proposed_at: datetime


class OtherReview(Wire):
    """The decision of a reviewer. `edits` are the names of the edited fields."""

    id: str
    reviewer: str
    at: datetime
    action: Literal["accept", "edit", "reject"]
    edits: list[str]
    reason: str | None
    blind: bool
    second: bool
    seconds: float | None


class RevealedContext(Wire):
    """What a blind review hides until the decision: who corrected, the detector and its score, the model and the
    prompt version that answered, and the decisions of other reviewers.
    """

    source: str
    detector: str
    score: float
    model: str | None
    prompt_version: str | None
    reviews: list[OtherReview]


class ReproductionItem(Wire):
    """What the current version does with the input of a candidate. `state` is `waiting` before the first call.

    Of the `scored` replies `failures` fail; `low` and `high` are the ends of the 95 % interval of that share.
    """

    state: Literal["waiting", "asking", "done"]
    label: Literal["reproduced", "flaky", "not_reproduced", "unscored"] | None
    samples: int
    scored: int
    failures: int
    low: float | None
    high: float | None


class ReproducedReplyItem(Wire):
    """A reply of the current version. `fails` is null without a verdict."""

    sample: int
    at: datetime
    output: str | None
    error: str | None
    fails: bool | None
    reason: str
    model: str | None
    latency_ms: float | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


class ReproductionDetail(ReproductionItem):
    """A reproduction with its replies. `target` has the model, the parameters and the prompt of the calls, `version` is
    the version that served, and `error` is why it waits.
    """

    candidate_id: str
    version: str | None
    target: dict[str, Any] | None
    began_at: datetime | None
    ended_at: datetime | None
    error: str | None
    replies: list[ReproducedReplyItem]


class ReviewSheet(Wire):
    """What a reviewer sees of a candidate. `revealed` is null for a blind review.

    `correction` is the text of the correction, `signal` its kind or `sample`, and `basis` is where the expectation
    comes from. In a second review the candidate is shown as the first reviewer saw it. `obstacle` is the reason why it
    cannot be accepted yet. `required` is the number of reviewers who must agree.
    """

    id: str
    deployment: str
    revision: int
    proposed_at: datetime
    category: str
    failure_category: str
    severity: Severity
    severity_reason: str
    basis: BasisItem
    input: list[dict[str, str]]
    system_prompt: str | None
    documents: list[DocumentItem]
    bad_output: str
    expected: str
    must_include: list[str]
    must_not: list[str]
    obstacle: str | None
    signal: str
    correction: str | None
    required: int
    reproduction: ReproductionItem
    revealed: RevealedContext | None


class SubmitReview(ReviewCandidate):
    """The decision of one reviewer, with the conditions of the review.

    `blind`: the reviewer did not see what `RevealedContext` has. `second`: the candidate was decided by another person.
    `seconds` is the time from reading to deciding.
    """

    blind: bool = False
    second: bool = False
    seconds: Annotated[float, Field(ge=0, le=86_400)] | None = None


class ReviewReceipt(Wire):
    """The result of a review. `review_id` is null when the caller had decided the same before.

    `standing` is `waiting` while another reviewer must decide, and `conflict` when two reviewers differ. `agrees` is
    null without another reviewer.
    """

    review_id: str | None
    candidate_id: str
    state: State
    standing: StandingName
    agrees: bool | None
    sheet: ReviewSheet


class UndoReview(Wire):
    """A review is taken back. `reason` is for the review log."""

    reason: Reason | None = None


class UndoneReview(Wire):
    """A review that its reviewer took back, and the state of the candidate after it."""

    review_id: str
    candidate_id: str
    state: State
    revision: int


class ConflictItem(Wire):
    """A candidate on which two reviewers decided differently. `same_action`: both accept, with different cases."""

    candidate_id: str
    deployment: str
    state: State
    input_text: str
    same_action: bool
    reviews: list[OtherReview]


class CoefficientItem(Wire):
    """An agreement, 1 for full and 0 for chance, with the ends of its 95 % interval; null where it is not defined."""

    value: float | None
    low: float | None
    high: float | None


class ReviewAgreementItem(Wire):
    """The agreement of two reviewers about accept or reject.

    `reviewed` candidates have a decision, `twice` of them two reviewers. Pairs whose second reviewer saw the first
    decision are `not_blind` and left out: `pairs` are the others. `table` counts them: rows the first reviewer, columns
    the second, accept before reject. Of `both_accept` pairs, `same_case` accept an equal case. `share` is the raw
    agreement with Wilson's interval; `kappa` (Cohen), `ac1` (Gwet) and `alpha` (Krippendorff) have bootstrap intervals.
    """

    reviewed: int
    twice: int
    not_blind: int
    pairs: int
    table: list[list[int]]
    both_accept: int
    same_case: int
    share: CoefficientItem
    kappa: CoefficientItem
    ac1: CoefficientItem
    alpha: CoefficientItem
