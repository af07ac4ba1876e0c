"""The overview as a flat table for downloads: one row for each set of a deployment."""

from collections.abc import Sequence
from typing import Any

from monitor.api.schema.overview import OverviewItem, OverviewSetItem


def flat_rows(items: Sequence[OverviewItem]) -> list[dict[str, Any]]:
    """Return a row for each set; a deployment without a set has one row without the columns of sets."""
    rows = []
    for item in items:
        sets: list[OverviewSetItem | None] = [*item.sets] or [None]
        rows += [_deployment(item) | _set(one) for one in sets]
    return rows


def _deployment(item: OverviewItem) -> dict[str, Any]:
    change = item.change
    return {
        "deployment": item.deployment,
        "state": item.state,
        "since": item.since,
        "reason": item.reason,
        "version": item.version_label,
        "changed_at": None if change is None else change.at,
        "changed_from": None if change is None else change.from_label,
        "critical_alerts": item.alerts.critical,
        "warning_alerts": item.alerts.warning,
        "info_alerts": item.alerts.info,
        "calls_7_days": item.traffic.calls,
        "corrections_7_days": item.traffic.corrections,
        "candidates": item.candidates_proposed,
        "next_replay": item.next_replay.at,
        "judges": item.judges.state,
        "sets": item.set_health.state,
        "ingest": item.ingest.state,
    }


def _set(one: OverviewSetItem | None) -> dict[str, Any]:
    night = None if one is None or not one.nights else one.nights[-1]
    return {
        "set": None if one is None else one.set_name,
        "kind": None if one is None else one.kind,
        "verdict": None if one is None else one.verdict,
        "measured_at": None if one is None else one.measured_at,
        "effect": None if one is None else one.effect,
        "effect_low": None if one is None else one.effect_low,
        "effect_high": None if one is None else one.effect_high,
        "pass_rate": None if night is None else night.rate,
        "pass_rate_low": None if night is None else night.low,
        "pass_rate_high": None if night is None else night.high,
        "scored": None if night is None else night.scored,
    }
