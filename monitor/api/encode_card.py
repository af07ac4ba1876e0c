"""Converts a run card to an item of the API schema. Pure functions."""

from collections.abc import Sequence

from monitor.api import schema as wire
from monitor.stats.wilson import wilson
from monitor.store.runs.run_card import RunFinding, Stratum, StratumFailures


def card(
    run: wire.RunItem, strata: Sequence[Stratum], failures: Sequence[StratumFailures], findings: Sequence[RunFinding]
) -> wire.RunCard:
    low, high = _interval(run.passed, run.scored)
    return wire.RunCard(
        run=run,
        low=low,
        high=high,
        strata=[_stratum(each) for each in strata],
        failures=[wire.StratumFailuresItem.model_validate(each, from_attributes=True) for each in failures],
        findings=[wire.RunFindingItem.model_validate(each, from_attributes=True) for each in findings],
    )


def _stratum(counted: Stratum) -> wire.StratumItem:
    low, high = _interval(counted.passed, counted.scored)
    return wire.StratumItem(
        category=counted.category,
        severity=counted.severity,
        cases=counted.cases,
        scored=counted.scored,
        passed=counted.passed,
        low=low,
        high=high,
    )


def _interval(passed: int, scored: int) -> tuple[float | None, float | None]:
    if not scored:
        return None, None
    low, high = wilson(passed / scored, scored)
    return float(low), float(high)
