"""One replay of one revision against one version, as the daemon plans and keeps it."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from monitor.domain.evalset import SetKind


def new_id(prefix: str, now: datetime) -> str:
    """`run-20261121T020000-5f2c9a1e`: kind, UTC second of creation, 32 random bits."""
    return f"{prefix}-{now:%Y%m%dT%H%M%S}-{secrets.token_hex(4)}"


class Trigger(StrEnum):
    SCHEDULED = "scheduled"
    CHANGE = "change"
    AA = "aa"
    MANUAL = "manual"


class RunState(StrEnum):
    PLANNED = "planned"
    RUNNING = "running"
    COMPLETE = "complete"
    FAILED = "failed"
    CANCELLED = "cancelled"  # by a person: it gets no verdict, and what it answered stays


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """`version` is known when the replies have said what served them. `trace_prefix` is 16 hex digits that
    every trace id of this run begins with, so that its echoes in production telemetry are recognised.

    `repeats` cases are asked once more than `samples`, for the noise floor alone; `turn` says which ones. `forecast` is
    what it was expected to take. `cut_by` names the limit of its budget that ended it after `asked` cases: they are a
    fair sample of the set. After an outage it waits until `retry_at`, for the `retries`th time.
    `crashes` counts those of the loop at work on it since its last good step.
    """

    id: str
    deployment: str
    set_name: str
    set_kind: SetKind
    revision: str
    trigger: Trigger
    planned_at: datetime
    state: RunState
    trace_prefix: str
    samples: int
    cases: int
    change_id: str | None = None
    version: str | None = None
    started_at: datetime | None = None
    finished_at: datetime | None = None
    manifest: Mapping[str, Any] | None = None
    error: str | None = None
    repeats: int = 0
    turn: int = 0
    forecast: Mapping[str, Any] | None = None
    cut_by: str | None = None
    asked: int | None = None
    retries: int = 0
    retry_at: datetime | None = None
    crashes: int = 0

    @property
    def cases_asked(self) -> int:
        """How many cases could have a verdict: all, or those that the budget allowed to ask."""
        return self.cases if self.asked is None else self.asked


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """One case of one run, its samples folded.

    A sample's value is the lowest of its scorers'; one without all verdicts is unscored. `value` is the mean over
    the scored samples, None when there is none. `failure_category` is that of the worst failed sample, `none`
    when all passed.
    """

    case_id: str
    category: str
    severity: str
    content_mac: str  # equal for equal content: pairing across revisions demands it
    value: float | None
    samples: int
    failure_category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleResult:
    """One sample of one case of one run, its scorers folded: the lowest verdict, None unless all of them gave one."""

    run_id: str
    case_id: str
    content_mac: str
    category: str
    sample: int
    value: float | None
    failure_category: str
