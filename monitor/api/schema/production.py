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
