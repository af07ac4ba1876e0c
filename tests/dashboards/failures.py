"""Failure categories of the fake daemon: those of its runs, of its corrections, and groups without a category."""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from monitor.api.schema import RunItem
from monitor.api.schema.categories import FailureGroupItem
from monitor.api.schema.failures import (
    CorrectionDayItem,
    CorrectionDaysItem,
    FailedCasesItem,
    RunFailuresItem,
    SetFailuresItem,
)
from monitor.api.schema.wire import Wire

from .fake_daemon import FakeDaemon
from .items import BOT, FIRST_NIGHT


def failures_of(daemon: FakeDaemon, query: Mapping[str, str]) -> SetFailuresItem:
    """Return the failure categories of the runs, half of each count with a high severity, half with a low one."""
    runs = [run for run in reversed(daemon.runs) if run.set_name == query["set_name"] and run.scored]
    return SetFailuresItem(
        deployment=query["deployment"],
        set_name=query["set_name"],
        metric=query.get("metric"),
        runs=[_run(run) for run in runs],
    )


def _run(run: RunItem) -> RunFailuresItem:
    counts = {row.failure_category: row.count for row in run.failure_categories} | {"none": run.passed}
    halves = [
        FailedCasesItem(severity=severity, failure_category=name, cases=cases)
        for name, count in counts.items()
        for severity, cases in (("high", count // 2), ("low", count - count // 2))
        if cases
    ]
    return RunFailuresItem(
        run_id=run.id,
        at=run.started_at or run.planned_at,
        version=run.version,
        version_label=run.version_label,
        counts=halves,
    )


def correction_days(daemon: FakeDaemon, query: Mapping[str, str]) -> Wire:
    days = [
        CorrectionDayItem(day=(FIRST_NIGHT + timedelta(days=day)).date(), failure_category=name, corrections=count)
        for day in range(5)
        for name, count in (("wrong_fact", 8 - day), ("incomplete", 2 + day))
    ]
    return CorrectionDaysItem(
        deployment=query["deployment"], taxonomy="1", since=FIRST_NIGHT, days=days if daemon.corrected else []
    )


def group(group_id: str, **fields: Any) -> FailureGroupItem:
    given: dict[str, Any] = {
        "id": group_id,
        "deployment": BOT,
        "state": "proposed",
        "name": "gift_cards",
        "parent": "other",
        "terms": ["gift", "card"],
        "corrections": 12,
        "share": 0.4,
        "candidates": [],
        "first_seen": FIRST_NIGHT,
        "last_seen": FIRST_NIGHT + timedelta(days=4),
        "decided_at": None,
        "decided_by": None,
    }
    return FailureGroupItem(**given | fields)
