"""Converts the health of a set to an item of the API schema. Pure functions."""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from monitor.api import schema as wire
from monitor.api.schema.set_health import SetResultItem, SetStateItem
from monitor.domain.evalset import Revision
from monitor.domain.health_day import CaseAges
from monitor.health.overfitting import Overfitting
from monitor.health.report import concerns, exposure_concern
from monitor.refresh.set_health import Measured
from monitor.stats.wilson import wilson
from monitor.store.overview.nights import Night, PassCount
from monitor.store.sets.stored_health import NewestHealth

_FIGURES: Final = (
    *("computed_at", "runs", "saturation", "distant", "budget", "max_exposure", "over_budget", "median_age_days"),
)


def health(revision: Revision, measured: Measured, ages: CaseAges, *, deployments: Sequence[str]) -> wire.SetHealthItem:
    found = measured.health
    return wire.SetHealthItem(
        set_name=revision.name,
        revision=revision.revision,
        cases=revision.cases,
        runs=measured.runs,
        deployments=list(deployments),
        computed_at=measured.computed_at,
        median_age_days=ages.median_age_days,
        oldest_age_days=ages.oldest_age_days,
        concerns=concerns(found),
        saturation=wire.SaturationItem.model_validate(found.saturation, from_attributes=True),
        label_noise=wire.LabelNoiseItem.model_validate(found.label_noise, from_attributes=True),
        staleness=wire.StalenessItem.model_validate(found.staleness, from_attributes=True),
        redundancy=wire.RedundancyItem.model_validate(found.redundancy, from_attributes=True),
        exposure=found.exposure and wire.ExposureSummary.model_validate(found.exposure, from_attributes=True),
        overfitting=found.overfitting and _overfitting(found.overfitting),
        items=[wire.ItemStatistics.model_validate(item, from_attributes=True) for item in found.saturation.items],
    )


def state(
    revision: Revision,
    found: NewestHealth | None,
    deployments: Sequence[str],
    measures: str | None,
    results: Sequence[SetResultItem] = (),
) -> SetStateItem:
    """Return the state of a set; `unknown` without a measurement. `results` are its newest results."""
    known: dict[str, Any] = {name: getattr(found, name, None) for name in _FIGURES}
    sentences = [] if found is None else list(found.concerns)
    if found is not None and found.over_budget:
        sentences.insert(0, exposure_concern(found.over_budget, found.cases))
    return SetStateItem(
        set_name=revision.name,
        kind=revision.kind.value,
        sealed=revision.sealed,
        revision=revision.revision,
        created_at=revision.created_at,
        cases=revision.cases,
        measures=measures,
        deployments=list(deployments),
        state="unknown" if found is None else "concerns" if sentences else "ok",
        concerns=sentences,
        results=list(results),
        **known,
    )


def result(night: Night, count: PassCount) -> SetResultItem:
    """Return the result of a run."""
    passed, scored = count.passed, count.scored
    low, high = wilson(np.array([passed / max(scored, 1)]), np.array([scored], dtype=np.int64))
    return SetResultItem(
        deployment=night.deployment,
        run_id=night.run_id,
        at=night.at,
        passed=passed,
        scored=scored,
        rate=passed / scored if scored else None,
        low=float(low[0]) if scored else None,
        high=float(high[0]) if scored else None,
    )


def _overfitting(found: Overfitting) -> wire.OverfittingItem:
    rise, corrections = found.rise_interval, found.corrections_interval
    return wire.OverfittingItem(
        trend=found.trend.value,
        runs=found.runs,
        rise=found.rise,
        rise_low=rise and rise.low,
        rise_high=rise and rise.high,
        corrections=found.corrections,
        corrections_low=corrections and corrections.low,
        corrections_high=corrections and corrections.high,
        expected=found.expected,
    )
