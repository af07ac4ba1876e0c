"""A look at a series of production traffic as an item of the wire contract: pure."""

from monitor.api import schema as wire
from monitor.domain.production import ProductionPolicy, Series
from monitor.drift.production.evaluate import SeriesTest
from monitor.drift.production.finding import display_value, production_evidence
from monitor.drift.production.verdict import alpha_shares
from monitor.drift.production.wording import reason_of


def production_series(
    seen: SeriesTest, deployment: str, series: Series, policy: ProductionPolicy
) -> wire.ProductionSeriesItem:
    evidence, points = production_evidence(seen.verdict, series), seen.points
    counts = points.trials.tolist() if points.rate else [None] * len(points.days)
    days = [
        wire.DayItem(day=day, value=display_value(value, series), n=n)
        for day, value, n in zip(points.days, points.value.tolist(), counts, strict=True)
    ]
    return wire.ProductionSeriesItem.model_validate(
        {
            "deployment": deployment,
            "series": series.value,
            "unit": evidence.unit,
            "day": seen.day,
            "verdict": seen.verdict.verdict.value,
            "reason": reason_of(seen.verdict, evidence, series, policy),
            "alpha": alpha_shares(policy)[series],
            "production": wire.ProductionEvidenceItem.model_validate(evidence, from_attributes=True),
            "days": days,
        }
    )
