"""Replays: runs, outcomes, scores."""

from datetime import datetime
from typing import Any, Literal

from pydantic import Field

from monitor.api.schema.wire import Wire


class StartRun(Wire):
    deployment: str
    set_name: str


class ResumeRun(Wire):
    """Try it at once; there is nothing more to say."""


class CancelRun(Wire):
    reason: str | None = Field(default=None, min_length=1, max_length=500)


class CategoryCount(Wire):
    """Cases of one category in one run: how many had a verdict, how many passed."""

    category: str
    scored: int
    passed: int


class FailureCount(Wire):
    failure_category: str
    count: int


class ForecastItem(Wire):
    """What a run is expected to take, all of it; null where nothing says it."""

    calls: int
    requests: int
    tokens: int | None
    usd: float | None
    seconds: float | None
    basis: str


class SpentItem(Wire):
    """What a run has asked and paid over all its starts: failed calls, retries and calls of killed processes too."""

    requests: int
    tokens: int
    usd: float


class RunItem(Wire):
    """`state` is `waiting` while the target is out, until it is retried at `retry_at`, and `partial` when the limit
    `stopped_by` of its budget ended it after `cases_attempted` cases. A `cancelled` run keeps its outcomes and gets no
    verdict.
    `renewed_at` is when the budget of the day or month that ended it is renewed. `verdict` is null until it is judged.
    """

    id: str
    deployment: str
    set_name: str
    set_kind: Literal["frozen", "dynamic"]
    revision: str
    trigger: Literal["scheduled", "change", "aa", "manual"]
    state: Literal["planned", "running", "waiting", "complete", "partial", "failed", "cancelled"]
    planned_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    version: str | None
    version_label: str | None
    change_id: str | None
    cases: int
    samples: int
    repeats: int = 0
    cases_attempted: int | None = None
    stopped_by: str | None = None
    retry_at: datetime | None = None
    forecast: ForecastItem | None = None
    verdict: Literal["ok", "regression", "improvement", "insufficient", "failed", "drift"] | None = None
    verdict_reason: str | None = None
    spent: SpentItem | None = None
    renewed_at: datetime | None = None
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


class ToolCallItem(Wire):
    """A tool that the model called: `arguments` as it wrote them, `result` as the case's script gave it back."""

    id: str
    name: str
    arguments: str
    result: str | None


class OutcomeItem(Wire):
    """`text`, `tool_calls` and the scores' `reason` are null without the role `reveal` when the set is sealed.

    `ttft_ms` is the time to the first token of an answer that was streamed; `reported_at` what the answer says.
    """

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
    system_fingerprint: str | None = None
    reported_at: datetime | None = None
    ttft_ms: float | None = None
    tool_calls: list[ToolCallItem] | None = None
    scores: list[ScoreItem]
