"""The wire contract of the HTTP API: what goes over it, and nothing else. Dashboards import this module alone."""

from datetime import datetime
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

T = TypeVar("T")


class Wire(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ListPage(Wire, Generic[T]):
    """A list, newest first; `next_cursor` fetches what follows, null at the end."""

    items: list[T]
    next_cursor: str | None


class Rejected(Wire):
    index: int
    code: str
    reason: str


class BatchResult(Wire):
    """What became of a batch write. It is sent after the commit."""

    accepted: int
    duplicates: int
    rejected: list[Rejected]


class Problem(Wire):
    """RFC 9457 problem document."""

    type: str
    title: str
    status: int
    detail: str
    code: str


class InteractionItem(Wire):
    id: str
    deployment: str
    started_at: datetime
    duration_ms: float | None
    source: str
    convention: str
    origin: str
    conversation_id: str | None
    trace_id: str | None
    response_id: str | None
    request_model: str | None
    response_model: str | None
    system_fingerprint: str | None
    prompt_id: str | None
    prompt_version: str | None
    identity: str | None
    category: str | None
    status: str
    finish_reason: str | None
    error_class: str | None
    input_tokens: int | None
    output_tokens: int | None
    content_state: str
    input_text: str
    output_text: str


class FeedbackItem(Wire):
    id: str
    deployment: str
    at: datetime
    kind: str
    source: str
    value: float | None
    text: str | None
    comment: str | None
    expected: str | None
    failure_category: str | None
    is_correction: bool
    linked_interaction_id: str | None
    link_method: str | None


class AnnounceChange(Wire):
    """A change told by a deploy pipeline: name the fields that are new; the rest is taken from the current version."""

    deployment: str
    at: datetime | None = None
    model: str | None = None
    prompt_id: str | None = None
    prompt_version: str | None = None
    prompt_text: str | None = None
    note: str | None = None


class VersionItem(Wire):
    id: str
    deployment: str
    label: str
    identity: dict[str, str]
    first_seen: datetime
    how: str
    current: bool


class ChangeItem(Wire):
    id: str
    deployment: str
    at: datetime
    noted_at: datetime
    kind: str
    how: Literal["observed", "announced"]
    from_version: str | None
    to_version: str
    evidence: dict[str, Any]


class DeploymentItem(Wire):
    name: str
    target: str
    sets: list[str]
    current_version: VersionItem | None
    interactions: int
    open_alerts: int


class SetItem(Wire):
    name: str
    kind: Literal["frozen", "dynamic"]
    revision: str
    created_at: datetime
    cases: int
    sealed: bool
    parent: str | None
    origin: str


class ImportSet(Wire):
    """A revision for a configured set: the cases in the format of docs/config.md, one object each."""

    name: str
    cases: list[dict[str, Any]]
    origin: str = "api"


class ImportResult(Wire):
    name: str
    revision: str
    cases: int
    new: bool


class CaseItem(Wire):
    """`input` and what is expected are null without the role `reveal` when the set is sealed."""

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


class CandidateItem(Wire):
    id: str
    deployment: str
    interaction_id: str
    category: str
    failure_category: str
    input_text: str
    expected: str
    state: str
    proposed_at: datetime
    decided_at: datetime | None
    decided_by: str | None


class StartRun(Wire):
    deployment: str
    set_name: str


class CategoryCount(Wire):
    """Cases of one category in one run: how many had a verdict, how many passed."""

    category: str
    scored: int
    passed: int


class FailureCount(Wire):
    failure_category: str
    count: int


class RunItem(Wire):
    id: str
    deployment: str
    set_name: str
    set_kind: Literal["frozen", "dynamic"]
    revision: str
    trigger: Literal["scheduled", "change", "aa", "manual"]
    state: Literal["planned", "running", "complete", "failed"]
    planned_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    version: str | None
    version_label: str | None
    change_id: str | None
    cases: int
    samples: int
    outcomes: int
    scored: int
    passed: int
    pass_rate: float | None
    categories: list[CategoryCount]
    failure_categories: list[FailureCount]
    cost_usd: float | None
    duration_s: float | None
    manifest: dict[str, Any] | None
    error: str | None


class ScoreItem(Wire):
    scorer: str
    scorer_version: str
    value: float | None
    label: str
    failure_category: str
    reason: str | None


class OutcomeItem(Wire):
    """`text` and the scores' `reason` are null without the role `reveal` when the set is sealed."""

    run_id: str
    case_id: str
    sample: int
    started_at: datetime
    attempts: int
    text: str | None
    latency_ms: float | None
    finish_reason: str | None
    model: str | None
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    error_class: str | None
    scores: list[ScoreItem]


class CategoryEffectItem(Wire):
    category: str
    n: int
    baseline: float
    candidate: float
    effect: float
    ci_low: float
    ci_high: float
    flipped_to_fail: int
    flipped_to_pass: int
    p_value_adjusted: float
    moved: bool


class FailureShiftItem(Wire):
    failure_category: str
    baseline: int
    candidate: int


class WorstCaseItem(Wire):
    case_id: str
    category: str
    severity: str
    passing_nights: int
    failure_category: str


class ComparisonItem(Wire):
    metric: str
    baseline: float
    candidate: float
    effect: float
    ci_low: float
    ci_high: float
    p_value: float
    flipped_to_fail: int
    flipped_to_pass: int
    n: int
    mde: float
    mde_discordance: float
    mde_source: str
    categories: list[CategoryEffectItem]
    failure_shifts: list[FailureShiftItem]
    worst_cases: list[WorstCaseItem]
    flipped_case_ids: list[str]


class FlipItem(Wire):
    """A case that passed in one of two runs and failed in the other; `failure_category` is how it failed there."""

    case_id: str
    category: str
    severity: str
    baseline: Literal["pass", "fail"]
    candidate: Literal["pass", "fail"]
    failure_category: str


class ComparedSideItem(Wire):
    """One case in one run: the verdict over its scored samples, `value` their mean, and every reply."""

    run_id: str
    verdict: Literal["pass", "fail"]
    value: float
    failure_category: str
    outcomes: list[OutcomeItem]


class ComparedCaseItem(Wire):
    """One case in two runs. `sealed` says that its texts are null unless the role `reveal` asks for them."""

    sealed: bool
    case: CaseItem
    baseline: ComparedSideItem
    candidate: ComparedSideItem


class ChannelEvidenceItem(Wire):
    """One channel on the judged night: `e` beside `e_needed` for drift that nothing announced, `p` beside `p_needed`
    (two-sided, in the direction of `worse`) after a known change.
    """

    kind: Literal["score", "mix", "behaviour", "judge"]
    channel: str
    e: float | None = None
    e_needed: float | None = None
    p: float | None = None
    p_needed: float | None = None
    worse: bool | None = None


class NoiseEvidenceItem(Wire):
    """Variances in squared score units; null is what these nights cannot tell."""

    nights: int
    within_variance: float | None
    night_variance: float | None
    night_interval: tuple[float, float] | None
    smallest_effect: float | None
    smallest_nights: int


class BridgeItem(Wire):
    cases: int
    carried_over: int
    revisions: int


class EvidenceItem(Wire):
    """What a finding rests on beyond two runs. Kind, channel, trigger and onset are those of the alarm, null without
    one; `delta` is after minus before, with 95 % intervals for these cases and for new cases like them.
    """

    situation: Literal["learning", "silent", "change", "episode"]
    trigger: Literal["silent", "version"] | None
    kind: Literal["score", "mix", "behaviour", "judge"] | None
    channel: str | None
    onset_run: str | None
    onset_at: datetime | None
    delta: float | None
    interval: tuple[float, float] | None
    interval_new_cases: tuple[float, float] | None
    e: float | None
    e_needed: float | None
    p: float | None
    p_needed: float | None
    nights: int
    baseline_nights: int
    baseline_first_run: str | None
    baseline_last_run: str | None
    bridge: BridgeItem
    channels: list[ChannelEvidenceItem]
    noise: NoiseEvidenceItem | None
    not_tested: list[str]


class BaselineItem(Wire):
    """From `run_id` on the nights of the set count as normal. The old baseline reached from `old_first_run` to
    `old_last_run`, which stay comparable.
    """

    id: str
    deployment: str
    set_name: str
    run_id: str
    counts_from: datetime
    finding_id: str
    at: datetime
    who: str
    reason: str
    old_first_run: str | None
    old_last_run: str | None


class AcceptFinding(Wire):
    """Make what a finding told the baseline of its set."""

    finding_id: str = Field(min_length=1, max_length=200)
    reason: str = Field(min_length=1, max_length=1000)


class NoiseItem(Wire):
    """How much a set's scores move by themselves, from the nights of its newest version. Variances are in squared
    score units, `within_variance` is that of one sample of a case; null is what these nights cannot tell.
    """

    deployment: str
    set_name: str
    nights: int
    cases: int
    samples: float
    within_variance: float | None
    night_variance: float | None
    night_interval: tuple[float, float] | None


class FindingItem(Wire):
    id: str
    deployment: str
    at: datetime
    signal: str
    segment: str
    set_name: str
    set_kind: Literal["frozen", "dynamic"]
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed"]
    severity: str
    reason: str
    alpha: float
    candidate_run: str
    baseline_run: str | None
    from_version: str | None
    to_version: str | None
    change_id: str | None
    comparison: ComparisonItem | None
    evidence: EvidenceItem | None = None


class AlertItem(Wire):
    id: str
    deployment: str
    set_name: str
    state: Literal["pending", "firing", "resolved"]
    severity: str
    summary: str
    finding_id: str
    last_finding_id: str
    pending_since: datetime
    fired_at: datetime | None
    resolved_at: datetime | None
    updated_at: datetime
    from_version: str | None
    to_version: str | None
    from_version_label: str | None
    to_version_label: str | None


class NotificationItem(Wire):
    id: str
    alert_id: str
    receiver: str
    reason: str
    attempt: int
    status: Literal["queued", "sent", "failed"]
    planned_at: datetime
    at: datetime | None
    error: str | None


class StatusItem(Wire):
    """What the daemon says of itself: `GET /api/v1/status`. `now` is its own clock, which screens must use."""

    now: datetime
    code_version: str
    store_bytes: int
    intake_rows: int
    intake_capacity: int
    dead_letters: int
    loops: dict[str, str]


class SenderItem(Wire):
    """Whom the API takes the sender of a request for: `GET /api/v1/whoami`."""

    name: str
    roles: list[str]


class OrderRewrite(Wire):
    """A rewrite of the database file; `erase_user` names the user whose rows are removed before, null for none."""

    erase_user: str | None = Field(default=None, min_length=1, max_length=1000)


class RewriteItem(Wire):
    """Why the file was written anew: `removed` counts the rows that went, by table.

    `rewritten_at` is null while their bytes are still in the file.
    """

    id: str
    kind: str
    at: datetime
    who: str
    removed: dict[str, int]
    rewritten_at: datetime | None


class ReportItem(Wire):
    """A comparison of production traffic of [since, until) with that of [reference_since, since).

    `distances` is by column, null where too few values say one; `counts` the values of the reference and of the window.
    `evidence` is the verdict of driftd's own error control after it; `page` says whether `/page` has something to show.
    """

    id: str
    deployment: str
    kind: str
    at: datetime
    reference_since: datetime
    since: datetime
    until: datetime
    state: str
    reason: str
    page: bool
    sha256: str | None
    bytes: int | None
    distances: dict[str, float | None]
    counts: dict[str, tuple[int, int]]
    evidence: dict[str, Any]


class HealthItem(Wire):
    """The answer of `/healthz` and `/readyz` when all is well; otherwise they answer a problem."""

    status: Literal["ok"]
