"""The health of an eval set: shares, counts and case ids, no texts."""

from datetime import date, datetime
from typing import Literal

from pydantic import Field

from monitor.api.schema.wire import Wire


class SaturationItem(Wire):
    versions: int
    judged: int
    share: float | None
    always_pass: int
    always_fail: int
    separating: int | None


class ItemStatistics(Wire):
    """Difficulty and discrimination of one case; null with too few versions."""

    case_id: str
    versions: int
    pass_rate: float | None
    discrimination: float | None
    discrimination_low: float | None
    discrimination_high: float | None


class LabelNoiseItem(Wire):
    failed_by_better_versions: list[str] | None
    expected: float | None
    never_passed: list[str] | None
    unstable: list[str] | None


class CategoryShareItem(Wire):
    """A category, with the number of production calls and of cases that have it."""

    category: str
    calls: int
    cases: int


class StalenessItem(Wire):
    """`distant`: share of production calls near no case; up to a tenth is usual. `uncovered`: estimated share of calls
    with other questions than the set. `categories`: the most frequent in production first; calls without a category
    count in none.
    """

    calls: int
    cases: int
    distant: float | None
    distant_low: float | None
    distant_high: float | None
    uncovered: float | None
    uncovered_categories: dict[str, float]
    categories: list[CategoryShareItem]


class RedundancyItem(Wire):
    groups: list[list[str]]
    redundant: int
    share: float


class ExposureSummary(Wire):
    budget: int | None
    max_exposure: int
    median: float
    revealed_cases: int
    over_budget: list[str]
    to_replace: list[str]
    days_left: float | None


class OverfittingItem(Wire):
    """`corrections` is the change of the correction rate in production, `expected` the change that the rise of the set
    would imply.
    """

    trend: str
    runs: int
    rise: float | None
    rise_low: float | None
    rise_high: float | None
    corrections: float | None
    corrections_low: float | None
    corrections_high: float | None
    expected: float | None


class SetHealthItem(Wire):
    """The health of a set. `concerns` need attention, the most important first.

    Runs and exposure are those of now; production traffic is read until `computed_at`. The ages are days since the
    oldest stored revision with a case.
    """

    set_name: str
    revision: str
    cases: int
    runs: int
    deployments: list[str]
    computed_at: datetime
    median_age_days: float | None
    oldest_age_days: float | None
    concerns: list[str]
    saturation: SaturationItem
    label_noise: LabelNoiseItem
    staleness: StalenessItem
    redundancy: RedundancyItem
    exposure: ExposureSummary | None
    overfitting: OverfittingItem | None
    items: list[ItemStatistics]


class HealthDayItem(Wire):
    """The health of a set at the end of a UTC day; of the current day, at `computed_at`.

    Shares are in [0, 1]. `saturation`: share of the judged cases with the same score under every version. `distant`:
    share of production calls near no case, with its 95 % interval. `redundancy`: share of cases that repeat another
    case. The exposure is null for a set that is not sealed. Other fields are null with too few data.
    """

    day: date
    revision: str
    computed_at: datetime
    cases: int
    runs: int
    concerns: int
    versions: int
    judged: int
    saturation: float | None
    calls: int
    distant: float | None
    distant_low: float | None
    distant_high: float | None
    uncovered: float | None
    redundant: int
    redundancy: float
    budget: int | None
    max_exposure: int | None
    median_exposure: float | None
    over_budget: int | None
    revealed_cases: int | None
    median_age_days: float | None
    oldest_age_days: float | None


class HealthDaysItem(Wire):
    set_name: str
    deployments: list[str]
    since: date
    days: list[HealthDayItem]


class SetResultItem(Wire):
    """The newest complete run of a set against a deployment: the share of the cases that pass, with its 95 % interval
    (Wilson). The three are null without a scored case.
    """

    deployment: str
    run_id: str
    at: datetime
    passed: int
    scored: int
    rate: float | None
    low: float | None
    high: float | None


class SetStateItem(Wire):
    """The newest measurement of a set, from the runs and the traffic of the deployments that replay it.

    `unknown` means that no loop has measured the set yet. Figures are those of `HealthDayItem` at `computed_at`.
    `results` has the newest result against each deployment with a complete run.
    """

    set_name: str
    kind: Literal["frozen", "dynamic"]
    sealed: bool
    revision: str
    created_at: datetime
    cases: int
    measures: str | None
    deployments: list[str]
    state: Literal["concerns", "unknown", "ok"]
    concerns: list[str]
    computed_at: datetime | None
    runs: int | None
    saturation: float | None
    distant: float | None
    budget: int | None
    max_exposure: int | None
    over_budget: int | None
    median_age_days: float | None
    results: list[SetResultItem] = Field(default_factory=list)


class SetStatesItem(Wire):
    items: list[SetStateItem]
