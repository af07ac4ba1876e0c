"""Production traffic as series of days, and what a finding on one of them rests on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from typing import Literal


class Series(StrEnum):
    """What is watched of a deployment's traffic. `traffic` is the distance of its questions and answers from before."""

    CORRECTIONS = "corrections"
    REFUSALS = "refusals"
    AVAILABILITY = "availability"
    LATENCY = "latency"
    COST = "cost"
    TRAFFIC = "traffic"


Unit = Literal["share", "ms", "usd", "distance"]


@dataclass(frozen=True, slots=True, kw_only=True)
class DayCounts:
    """One UTC day with calls. `answered` are those that did not fail, `worded` the answers whose text is known; a
    median is None where nothing was measured, and `timed` and `priced` say of how many calls it is.
    """

    day: date
    calls: int
    failed: int
    answered: int
    corrected: int
    worded: int
    refused: int
    timed: int
    latency_ms: float | None
    priced: int
    cost_usd: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionEvidence:
    """`days` were looked at; `missing` more are needed before a verdict. `e` is evidence against "nothing changed" on
    the last day, `e_needed` what it had to reach.

    The rest is known of a change: it began with the day `onset`. `before` and `after` are in `unit` and of the same
    weekdays, `effect` is after minus before for shares and after / before - 1 for the rest, with a 95 % interval.
    `day_noise` is how far days differ by themselves, one standard deviation on the scale of `effect`. `columns` are
    those of the traffic with their evidence, the strongest first, `report` the traffic report they were measured for.
    """

    unit: Unit
    days: int
    missing: int
    e: float | None
    e_needed: float
    onset: date | None = None
    before: float | None = None
    after: float | None = None
    effect: float | None = None
    interval: tuple[float, float] | None = None
    day_noise: float | None = None
    columns: Mapping[str, float | None] = field(default_factory=dict)
    report: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionPolicy:
    """Which series of a deployment's traffic are watched, and when a change of one is told."""

    series: tuple[Series, ...]
    alpha: float  # over all series and the whole horizon together
    horizon_days: int
    baseline_days: int  # days with data that a series is learnt from
    late_days: int  # days that a correction may come after the day of its call
    history_days: int  # of rows that may be looked at: none older, of which retention keeps some
    input_usd_per_mtok: float | None
    output_usd_per_mtok: float | None
    cost_of_calls: bool = False  # what each came with, in place of these prices
