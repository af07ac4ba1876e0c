"""One case over runs: its verdict in each run, its answers, its revisions and its origin."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

Counts = NDArray[np.int64]


class CaseState(StrEnum):
    """What the runs of a set show about a case. A case can have several states."""

    FAILING = "failing"  # failed on the newest run
    NEWLY_FAILING = "newly_failing"  # failed on the newest run, passed on the run before
    FLAKY = "flaky"  # answers of one night disagree, or the verdict flips between nights of one version
    NEVER_PASSES = "never_passes"
    TOO_EASY = "too_easy"  # no answer ever failed


class CaseOrder(StrEnum):
    """The order of the list; equal cases follow by id."""

    SEVERITY = "severity"
    DIFFICULTY = "difficulty"
    FLAKINESS = "flakiness"
    ID = "id"
    CATEGORY = "category"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRun:
    """A complete run of a set. `at` is when it ended."""

    run_id: str
    deployment: str
    at: datetime
    version: str | None
    revision: str
    trigger: str
    samples: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedCase:
    """A case of a revision, without its content."""

    position: int
    case_id: str
    category: str
    severity: str
    content_mac: str
    part: str | None
    cluster: str | None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CaseAnswers:
    """The answers of cases in runs, as counts [runs, cases] in time order.

    `scored` and `passed` count the planned samples, which decide the verdict of a run; `answers` and `passes` count the
    repeat too. A run that did not score a case, or asked it with another content, has zeros.
    """

    scored: Counts
    passed: Counts
    answers: Counts
    passes: Counts


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseTrend:
    """The figures of one case over runs.

    `runs` scored it and `failed` of them failed it. `pairs` are the pairs of answers of one night, `disagreeing` those
    with different verdicts. `night_pairs` are consecutive nights of one version, `flips` those with different verdicts.
    `passed` is the verdict of the newest run, None when it did not score the case.
    """

    runs: int
    failed: int
    pairs: int
    disagreeing: int
    night_pairs: int
    flips: int
    passed: bool | None
    states: tuple[CaseState, ...]

    @property
    def fail_share(self) -> float | None:
        """Return the difficulty: the share of runs that failed the case."""
        return self.failed / self.runs if self.runs else None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseAnswer:
    """One answer to a case. `kind`: a planned `sample`, the `repeat` of a night, or a `fresh` sample of the severity
    gate. `same_content` is whether the run asked the case as the chosen revision has it.
    """

    run_id: str
    sample: int
    value: float | None
    passed: bool | None
    failure_category: str
    kind: str
    same_content: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseRevision:
    """A revision that contains the case."""

    revision: str
    created_at: datetime
    origin: str
    content_mac: str
    part: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseCandidate:
    """The candidate that became a case: the correction or the sampled call that it came from."""

    id: str
    deployment: str
    interaction_id: str
    failure_category: str
    state: str
    proposed_at: datetime
    decided_at: datetime | None
    decided_by: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseExposureCount:
    """How often the content of a case was sent to an endpoint and revealed to people."""

    calls: int
    reveals: int
    providers: int
    people: int
    recent_calls: int
    last_at: datetime | None
