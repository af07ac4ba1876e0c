"""Comparisons of two versions over all their comparable runs."""

from datetime import datetime

from pydantic import Field

from monitor.api.schema.wire import Wire


class PooledVersionItem(Wire):
    """A version and its pooled runs, the oldest first. `nights` counts their UTC days, `rate` is the mean of the scores
    of the cases.
    """

    version: str
    label: str
    runs: list[str]
    nights: int
    first_at: datetime
    last_at: datetime
    rate: float


class PooledCategoryItem(Wire):
    """A category of cases. `moved` is whether the adjusted p-value (Holm over the overall test and all categories) is
    below `alpha_change` of the deployment.
    """

    category: str
    n: int
    baseline: float
    candidate: float
    effect: float
    ci_low: float | None
    ci_high: float | None
    p_value_adjusted: float | None
    moved: bool


class LeftOutRunItem(Wire):
    """A run that is not pooled, and the conditions that differ from those of the pooled runs."""

    run_id: str
    version: str
    reason: str


class VersionComparisonItem(Wire):
    """The change between two versions. A case is the unit: it has the mean of its scored samples over all pooled runs.

    `conditions` are those that all pooled runs have. The interval is a 95 % interval for cases like these; it, the
    p-value and `mde` are null with fewer than two independent cases. `clusters` counts the independent cases.
    """

    deployment: str
    set_name: str
    metric: str
    baseline: PooledVersionItem
    candidate: PooledVersionItem
    conditions: dict[str, str]
    n: int
    clusters: int
    effect: float
    ci_low: float | None
    ci_high: float | None
    p_value: float | None
    p_value_adjusted: float | None
    mde: float | None
    categories: list[PooledCategoryItem]
    left_out: list[LeftOutRunItem]
    notes: list[str] = Field(default_factory=list)  # parameters that differ between the versions
