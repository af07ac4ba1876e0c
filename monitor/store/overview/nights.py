"""The newest nights of each set: how many cases of the run had a verdict, and how many passed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.store.engine.transaction import Tx

IMPORTED = "imported"


@dataclass(frozen=True, slots=True, kw_only=True)
class PassCount:
    """The cases of a run with a verdict, and those of them that pass."""

    scored: int = 0
    passed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """One complete run of a set."""

    run_id: str
    deployment: str
    set_name: str
    set_kind: str
    trigger: str
    version: str | None
    at: datetime


def newest(tx: Tx, deployments: Sequence[str], nights: int, now: datetime) -> list[Night]:
    """Return the newest complete runs of each set of these deployments, the oldest first."""
    rows = tx.query("overview_nights", deployments=list(deployments), nights=nights, now=now)
    return [Night(**row) for row in rows]


def pass_counts(tx: Tx, run_ids: Sequence[str]) -> dict[str, PassCount]:
    """Return the counts of the runs. A run whose set has no case any more is absent."""
    rows = tx.query("run_pass_counts", run_ids=list(run_ids)) if run_ids else []
    return {row.pop("run_id"): PassCount(**row) for row in rows}
