"""A statistical conclusion with its evidence."""

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from monitor.domain.baseline import Acceptance
from monitor.domain.deciding_test import DecidingTest
from monitor.domain.evalset import SetKind
from monitor.domain.evidence import Evidence
from monitor.domain.production import ProductionEvidence, Series


class Verdict(StrEnum):
    OK = "ok"
    REGRESSION = "regression"
    IMPROVEMENT = "improvement"
    INSUFFICIENT = "insufficient"
    FAILED = "failed"
    DRIFT = "drift"  # of traffic: no regression, but something to look at


@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """A 95 % confidence interval of a difference of rates, both ends fractions in [-1, 1]."""

    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CategoryEffect:
    """One category of a comparison; `p_value_adjusted` is Holm's over the overall test and all categories, None where
    another test decided the finding.
    """

    category: str
    n: int
    baseline: float
    candidate: float
    effect: float
    interval: Interval
    flipped_to_fail: int
    flipped_to_pass: int
    p_value_adjusted: float | None
    moved: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WorstCase:
    """A case that passed before and fails now: severity first, then the longest passing history, then id."""

    case_id: str
    category: str
    severity: str
    passing_nights: int
    failure_category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureShift:
    """How often one failure category stood in the baseline and stands now, in cases."""

    failure_category: str
    baseline: int
    candidate: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two runs of the same cases. Rates are fractions, `effect` is candidate minus baseline, `p_value` is the
    two-sided exact McNemar test, `mde` the smallest effect seen with 80 % power at alpha 0.05. Both are None in a
    finding that another test decided: see `Finding.decided`.
    """

    metric: str
    baseline: float
    candidate: float
    effect: float
    interval: Interval
    p_value: float | None
    flipped_to_fail: int
    flipped_to_pass: int
    n: int
    mde: float | None
    mde_discordance: float
    mde_source: str  # where the discordance in the mde came from: "a/a" or "this comparison"
    categories: tuple[CategoryEffect, ...]
    failure_shifts: tuple[FailureShift, ...]
    worst_cases: tuple[WorstCase, ...]
    flipped_case_ids: tuple[str, ...]  # passed before, fail now


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReplay:
    """A finding's subject: one replay of an eval set."""

    set_name: str
    set_kind: SetKind
    candidate_run: str

    @property
    def name(self) -> str:
        return self.set_name


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionSeries:
    """A finding's subject: a series of production traffic, `day` the last one that was looked at."""

    series: Series
    day: date

    @property
    def name(self) -> str:
        return self.series.value


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSource:
    """A finding's subject: a source of records that driftd reads by itself, whose deployment is driftd; or the replays
    of a set on a deployment, of which a run was set aside.
    """

    source: str

    @property
    def name(self) -> str:
        return self.source


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What the comparison of one run with its baseline means, or the days of a production series, or that a source of
    records stands still.

    Of a replay, `comparison` is None when there was nothing to compare, `evidence` when the run is no night of its set
    (failed, or an outage); of a series, `production` is what it rests on. `reason` is the sentence that says why the
    verdict is what it is, `decided` the test that it rests on. `acceptance` says who ended an alert by accepting it.
    """

    id: str
    deployment: str
    at: datetime
    signal: str  # "score", "production", "source"
    segment: str  # "overall"
    subject: SetReplay | ProductionSeries | ReadSource
    verdict: Verdict
    severity: str  # "critical" or "warning" or "info"
    reason: str
    alpha: float
    baseline_run: str | None = None
    from_version: str | None = None
    to_version: str | None = None
    change_id: str | None = None
    comparison: Comparison | None = None
    evidence: Evidence | None = None
    production: ProductionEvidence | None = None
    decided: DecidingTest | None = None
    acceptance: Acceptance | None = None

    @property
    def replay(self) -> SetReplay:
        """The replay it judges. To ask a finding on anything else for one is a bug."""
        if not isinstance(self.subject, SetReplay):
            what = "production traffic" if isinstance(self.subject, ProductionSeries) else "a source of records"
            raise TypeError(f"finding {self.id} is about {what} ({self.subject.name}), not about a replay")
        return self.subject
