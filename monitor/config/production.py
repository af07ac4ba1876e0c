"""Settings of production monitors: which series of a deployment's traffic are watched, and how surely."""

from pydantic import Field

from monitor.config.section import Section, why


class ProductionConfig(Section):
    """Nightly watch of what the product itself shows. A UTC day is a point; worse alone is told."""

    alpha: float = Field(
        default=0.05,
        gt=0,
        lt=1,
        description="Chance of any false alarm over all series and the days of horizon_nights together.",
        json_schema_extra=why("the series share it; it comes beside that of the replays"),
    )
    baseline_days: int = Field(
        default=28,
        ge=14,
        le=180,
        description="Days with data that show what is usual, before a change is looked for.",
        json_schema_extra=why("each weekday four times; with fewer, weekends look like changes"),
    )
    late_days: int = Field(
        default=2,
        ge=0,
        le=14,
        description="Days a correction may come after the day of its call and still count; so long a day stays open.",
        json_schema_extra=why("every day gets the same time, so that the newest do not look better than they are"),
    )
    corrections: bool = Field(
        default=True,
        description="Watch the share of answers that were corrected.",
        json_schema_extra=why("users say first that it got worse"),
    )
    refusals: bool = Field(
        default=True,
        description="Watch the share of answers that begin like a refusal.",
        json_schema_extra=why("a model that is changed in silence often refuses more"),
    )
    availability: bool = Field(
        default=True,
        description="Watch the share of calls that are answered.",
        json_schema_extra=why("a call that fails has no answer to score"),
    )
    latency: bool = Field(
        default=True,
        description="Watch the median latency.",
        json_schema_extra=why("slower is worse for who waits"),
    )
    cost: bool = Field(
        default=True,
        description="Watch the median cost of a call, where the target has a price or cost_of_calls is set.",
        json_schema_extra=why("longer answers are paid for"),
    )
    cost_of_calls: bool = Field(
        default=False,
        description="Take the cost that each call came with, told or computed, in place of the target's price.",
        json_schema_extra=why(
            "one price for all days moves with the tokens alone, and nobody's price list wakes anybody"
        ),
    )
    traffic: bool = Field(
        default=True,
        description="Tell when questions and answers drift from what they were; needs traffic_reports.enabled.",
        json_schema_extra=why("no regression, but the private set may no longer represent what users ask"),
    )
