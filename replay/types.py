"""What a replay is made of: cases go in, outcomes and scores come out, the manifest says under which conditions."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Literal

Role = Literal["system", "user", "assistant", "tool"]
NO_FAILURE = "none"
UNCATEGORIZED = "uncategorised"


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
class Text:
    """A piece of a message that is text."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A piece of a message that is an image, by its URL."""

    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A call of a tool as the model wrote it: `arguments` is JSON text, or what the model took for it.

    `result` is what the script of the case gave back, None when nothing did.
    """

    id: str
    name: str
    arguments: str
    result: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One message of a conversation.

    `parts` are there when the content is more than one text; `content` then is their texts, a line each.
    `tool_calls` are those an assistant's message made, `tool_call_id` names the one that a tool's message answers.
    """

    role: Role
    content: str
    parts: tuple[Text | Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool that the model may call; `parameters` is the JSON schema of its arguments."""

    name: str
    description: str = ""
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool gives back when it is called by `name` with these `arguments`; None fits any."""

    name: str
    result: str
    arguments: Mapping[str, Any] | None = field(default=None, hash=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One question of an eval set with what is expected of the answer.

    `references` are the answers that count as right (what they mean is the scorer's business), `must_include` and
    `must_not` what a right answer says and never says, `schema` the JSON Schema that it fits, `tests` the programs that
    it passes, `rubric` what a judge is told to look for, `ideal` tells people what a good answer does and is scored by
    nobody. `category` is what the case is about, never how it failed; `weight` how much it counts among equals. `tools`
    may be called, `tool_results` is the script of what they give back (replay/targets/tools.py), `variables` fill the
    template of the prompt.
    """

    id: str
    input: tuple[Message, ...]
    references: tuple[str, ...] = ()
    must_include: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    ideal: str | None = None
    category: str = UNCATEGORIZED
    severity: Severity = Severity.MEDIUM
    provenance: str = "authored"
    schema: Mapping[str, Any] | None = field(default=None, hash=False)
    tests: tuple[str, ...] = ()
    rubric: str | None = None
    tags: tuple[str, ...] = ()
    weight: float = 1.0
    created_at: datetime | None = None
    tools: tuple[Tool, ...] = ()
    tool_results: tuple[ToolResult, ...] = ()
    variables: Mapping[str, Any] = field(default_factory=dict, hash=False)

    @property
    def last_user_text(self) -> str:
        """The last user message, the text that identifies the question; empty when there is none."""
        return next((m.content for m in reversed(self.input) if m.role == "user"), "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a target answered. `latency_ms` is the answering call alone: no waiting for a slot, no earlier attempts, no
    setting up of a session; with tools it is the sum of the calls that the answer took.

    `ttft_ms` is the time to the first token of the last of those calls, where it was streamed. `model` and
    `reported_at` are what the answer itself says served it and when; `reported` keeps what else the endpoint tells
    about how it answered (for the recorded endpoint: its resample share).
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
    ttft_ms: float | None = None
    tool_calls: tuple[ToolCall, ...] = ()


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
    """What a target was told to do: the part of the manifest that is known before the first call.

    `system_prompt_hash` is that of the rendered prompt, None when it differs from case to case; `template_hash` that of
    the template it was rendered from, None for a plain text. `prompt_from` says where the prompt was taken from, and
    `settings_hash` names what else the target was told (requests, paths, commands), for kinds that are told more.
    """

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
    prompt_from: str = "config"
    settings_hash: str | None = None


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
