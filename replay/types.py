"""What a replay is made of: cases go in, outcomes and scores come out, the manifest says under which conditions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
NO_FAILURE = "none"
UNCATEGORISED = "uncategorised"


class Severity(StrEnum):
    """How bad a failure of the case is for the product, mildest first."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """0 for low to 3 for critical."""
        return list(Severity).index(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question of an eval set with what is expected of the answer.

    `references` are the answers that count as right (what they mean is the scorer's business), `must_include` and
    `must_not` what a right answer says and never says, `ideal` tells people what a good answer does and is scored by
    nobody. `category` is what the case is about, never how it failed.
    """

    id: str
    input: tuple[Message, ...]
    references: tuple[str, ...] = ()
    must_include: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    ideal: str | None = None
    category: str = UNCATEGORISED
    severity: Severity = Severity.MEDIUM
    provenance: str = "authored"

    @property
    def last_user_text(self) -> str:
        """The last user message, the text that identifies the question; empty when there is none."""
        return next((m.content for m in reversed(self.input) if m.role == "user"), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a target answered. `latency_ms` is the answering call alone: no waiting for a slot, no earlier attempts.

    `model` and `reported_at` are what the answer itself says served it and when; `reported` keeps
    what else the endpoint tells about how it answered (for the recorded endpoint: its resample share).
    """

    text: str
    latency_ms: float
    finish_reason: str | None = None
    model: str | None = None
    reported_at: datetime | None = None
    system_fingerprint: str | None = None
    response_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None
    reported: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One sample of one case in one run: exactly one of `reply` and `error_class` is there."""

    case_id: str
    sample: int
    started_at: datetime
    attempts: int
    trace_id: str
    reply: Reply | None = None
    error_class: str | None = None
    error_message: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One scorer's verdict on one outcome.

    `value` lies in [0, 1], or is None when the scorer reached no verdict; `reason` then says why.
    `label` is `pass`, `fail` or `unscored`. `failure_category` is `none` for a pass.
    """

    scorer: str
    scorer_version: str
    value: float | None
    label: Literal["pass", "fail", "unscored"]
    failure_category: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredOutcome:
    """An outcome with the verdicts on it; they are stored together or not at all."""

    outcome: Outcome
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetConditions:
    """What a target was told to do: the part of the manifest that is known before the first call."""

    kind: str
    base_url: str
    model: str
    system_prompt_hash: str | None
    template_hash: str | None
    prompt_id: str | None
    prompt_version: str | None
    temperature: float | None
    top_p: float | None
    max_tokens: int | None
    seed: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Every condition of a run. A result without it does not count.

    `reported` counts what the replies said of themselves: field to value to number of replies
    (`model`, `system_fingerprint`, `date`, and anything the endpoint adds).
    """

    run_id: str
    set_name: str
    set_kind: str
    revision: str
    cases: int
    samples: int
    target: TargetConditions
    reported: Mapping[str, Mapping[str, int]]
    scorers: Mapping[str, str]
    judge: str | None
    rubric: str | None
    started_at: datetime
    finished_at: datetime
    outcomes: int
    scored: int
    errors: Mapping[str, int]
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    latency_ms_p50: float | None
    latency_ms_p95: float | None
    concurrency: int
    code_version: str
    extra: Mapping[str, Any] = field(default_factory=dict)
