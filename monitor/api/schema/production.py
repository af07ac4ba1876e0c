"""Series of production traffic, and what a finding on one of them rests on."""

from datetime import date
from typing import Literal

from monitor.api.schema.wire import Wire

SeriesName = Literal["corrections", "refusals", "availability", "latency", "cost", "traffic"]


class ProductionEvidenceItem(Wire):
    """`effect` is after minus before for shares, after / before - 1 for ms and usd, with a 95 % interval; what is of a
    change is null while there is none. `columns` are those of the traffic with their evidence, the strongest first.
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


class DayItem(Wire):
    """One UTC day of a series; `n` counts the calls behind a share, null of a median."""

    day: date
    value: float
    n: int | None


class ProductionSeriesItem(Wire):
    """A series of a deployment's traffic as it stands, its days oldest first; a day without data is not there."""

    deployment: str
    series: SeriesName
    unit: Literal["share", "ms", "usd"]
    day: date
    verdict: Literal["ok", "regression", "improvement", "insufficient"]
    reason: str
    alpha: float
    production: ProductionEvidenceItem
    days: list[DayItem]
