"""A run card: one run with its scores, failures and findings."""

from pydantic import Field

from monitor.api.schema.choice import BrittlenessItem
from monitor.api.schema.runs import RunItem
from monitor.api.schema.wire import Wire


class StratumItem(Wire):
    """The cases of one category and severity; `low` and `high` are the Wilson 95 % interval of the pass rate, null
    without scores.
    """

    category: str
    severity: str
    cases: int
    scored: int
    passed: int
    low: float | None
    high: float | None


class StratumFailuresItem(Wire):
    failure_category: str
    category: str
    severity: str
    cases: int


class PassAtItem(Wire):
    """pass@k: how likely at least one of `k` answers to a case passes, over the cases with `k` scored samples, with its
    95 % interval.
    """

    k: int
    cases: int
    value: float
    low: float
    high: float


class RunFindingItem(Wire):
    """A finding of the run. `metric` is the watched metric that it is about; null for the deciding verdict."""

    id: str
    metric: str | None = None
    verdict: str
    severity: str
    reason: str


class RunMetricItem(Wire):
    """A metric of the run: its mean over the `scored` cases with the Wilson 95 % interval, and whether it decides."""

    metric: str
    decides: bool
    mean: float
    low: float
    high: float
    scored: int


class RunCard(Wire):
    run: RunItem
    low: float | None
    high: float | None
    strata: list[StratumItem]
    failures: list[StratumFailuresItem]
    pass_at: list[PassAtItem]  # empty for one sample of each case
    findings: list[RunFindingItem]
    brittleness: BrittlenessItem | None = None  # of a set with clusters
    metrics: list[RunMetricItem] = Field(default_factory=list)
    measures: str | None = None  # what the pass rate of the set means
