"""Production traffic by day: past days as they are stored, the others counted from the calls."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from monitor.domain.finding import Finding
from monitor.domain.production import DayCounts, ProductionPolicy, Series
from monitor.store.aggregates import day_rollups
from monitor.store.aggregates.settled_days import midnight, prices_of
from monitor.store.engine.transaction import Tx
from monitor.store.findings import alerts, baselines, findings
from monitor.store.turns import rates

__all__ = ["KnownSeries", "days", "known", "midnight"]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownSeries:
    """The finding of the open alert of a series, and the first day of its accepted baseline."""

    opening: Finding | None
    accepted: date | None


def known(tx: Tx, deployment: str, series: Iterable[Series]) -> dict[Series, KnownSeries]:
    """Return what is known of each of these series of the deployment."""
    opened, accepted = alerts.open_of_series(tx, deployment), baselines.current_of_series(tx, deployment)
    return {
        one: KnownSeries(
            opening=findings.get(tx, opened[one].finding_id) if one in opened else None,
            accepted=accepted[one].counts_from.date() if one in accepted else None,
        )
        for one in series
    }


def days(tx: Tx, deployment: str, since: date, until: date, policy: ProductionPolicy) -> list[DayCounts]:
    """Return the UTC days of [since, until) with calls, the oldest first.

    A day with calls of an older driftd that are not classified yet has no refusal counts.
    """
    window: dict[str, Any] = {"deployment": deployment, "since": midnight(since), "until": midnight(until)}
    counted = day_rollups.production_days(tx, deployment, since, until, prices_of(deployment, policy))
    corrected = day_rollups.corrections(tx, deployment, since, until, policy.late_days)
    turns: Mapping[date, int] = {}
    if Series.IMPLICIT_CORRECTIONS in policy.series:
        turns = rates.implicit_days(tx, **window, late_days=policy.late_days) or {}
    return [DayCounts(**row, corrected=corrected.get(row["day"], 0), implicit=turns.get(row["day"])) for row in counted]
