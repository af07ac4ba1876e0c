"""The newest nights of each set: how many cases of the run had a verdict, and how many passed."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from threading import Lock

from monitor.store.engine.transaction import Tx

IMPORTED = "imported"
MOST_CACHED = 50_000  # runs


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


NONE = PassCount()


def newest(tx: Tx, deployments: Sequence[str], nights: int, now: datetime) -> list[Night]:
    """Return the newest complete runs of each set of these deployments, the oldest first."""
    rows = tx.query("overview_nights", deployments=list(deployments), nights=nights, now=now)
    return [Night(**row) for row in rows]


def pass_counts(tx: Tx, run_ids: Sequence[str]) -> dict[str, PassCount]:
    """Return the counts of the runs; a run without a scored case is absent."""
    rows = tx.query("run_pass_counts", run_ids=list(run_ids)) if run_ids else []
    return {row.pop("run_id"): PassCount(**row) for row in rows}


class PassCounts:
    """The counts of complete runs, kept in memory: a complete replay changes only when rows are erased, and then all
    counts are read again. The runs of another tool may be imported again, so their counts are never kept.
    """

    def __init__(self) -> None:
        self._lock = Lock()  # protects both fields
        self._erased: object = None
        self._known: dict[str, PassCount] = {}

    def of(self, tx: Tx, nights: Sequence[Night]) -> dict[str, PassCount]:
        """Return the counts of each night."""
        erased = tx.one("erasures")
        with self._lock:
            if erased != self._erased or len(self._known) > MOST_CACHED:
                self._erased, self._known = erased, {}
            known = dict(self._known)
        unknown = [night.run_id for night in nights if night.run_id not in known]
        found = dict.fromkeys(unknown, NONE) | pass_counts(tx, unknown)
        kept = {night.run_id for night in nights if night.trigger != IMPORTED}
        with self._lock:
            if erased == self._erased:
                self._known |= {run_id: count for run_id, count in found.items() if run_id in kept}
        return known | found
