"""Series of production traffic, and the evidence of their findings."""

from datetime import date
from typing import Literal

from monitor.api.schema.wire import Wire

SeriesName = Literal["corrections", "implicit_corrections", "refusals", "availability", "latency", "cost", "traffic"]


class ProductionEvidenceItem(Wire):
    """The evidence of a series. `effect` is after minus before for shares, after / before - 1 for ms and usd, with a 95
    % interval; these fields are null without a change. `columns` are the columns of the traffic with their evidence,
    the strongest first. `detector` is the rate of implicit corrections, corrected for the detector's errors, in words.
    """

    unit: Literal["share", "ms", "usd", "distance"]
    days: int
    missing: int
    e: float | None
    e_needed: float
    onset: date | None
    before: float | None
    after: float | None
    effect: float | None
    interval: tuple[float, float] | None
    day_noise: float | None
    columns: dict[str, float | None]
    report: str | None
    detector: str | None = None


class DayItem(Wire):
    """One UTC day of a series; `n` is the number of calls behind a share, null for a median."""

    day: date
    value: float
    n: int | None


class ProductionSeriesItem(Wire):
    """The current state of a series, with its days, oldest first. Days without data are omitted."""

    deployment: str
    series: SeriesName
    unit: Literal["share", "ms", "usd"]
    day: date
    verdict: Literal["ok", "regression", "improvement", "insufficient"]
    reason: str
    alpha: float
    production: ProductionEvidenceItem
    days: list[DayItem]


class VersionDayItem(Wire):
    """The counts of one version on one UTC day; `version` is null for calls without one.

    `answered` calls did not fail. `worded` answers have a known text; both refusal counts are null until all calls of
    the day are classified. `corrected` counts answered calls with an explicit correction in the late days. `timed`,
    `counted` and `spent` are the numbers of calls with a latency, with tokens and with a cost. Latencies are exact
    quantiles of complete calls. `spent_usd` is the sum of the stored costs.
    """

    day: date
    version: str | None
    label: str | None
    calls: int
    failed: int
    answered: int
    worded: int | None
    refused: int | None
    corrected: int
    timed: int
    latency_ms: float | None
    latency_p95_ms: float | None
    counted: int
    input_tokens: int
    output_tokens: int
    spent: int
    spent_usd: float


class VersionLatencyItem(Wire):
    """The latency of one version over all days, from a histogram: each quantile is within 4.5 % of the exact one."""

    version: str | None
    label: str | None
    timed: int
    p50_ms: float
    p95_ms: float
    p99_ms: float


class ProductionDays(Wire):
    """The days of [since, until), oldest first. The last one is today when `until` is tomorrow: it is not over. A
    correction counts on the day of its call if it arrives within `late_days` days after that day.
    """

    deployment: str
    since: date
    until: date
    late_days: int
    items: list[VersionDayItem]
    latencies: list[VersionLatencyItem]
