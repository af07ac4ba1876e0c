"""The failure categories of the runs of a set, and of the corrections of a deployment."""

from datetime import datetime
from itertools import groupby

from monitor.domain.failure_category import TAXONOMY
from monitor.domain.failure_share import CorrectionDay, FailureCount, RunFailures
from monitor.store.engine.transaction import Row, Tx


def of_set(
    tx: Tx, deployment: str, set_name: str, *, runs: int, since: datetime | None = None, metric: str | None = None
) -> list[RunFailures]:
    """Return the newest finished runs with a scored case, the oldest first. With `metric`, its scores decide."""
    asked = {"deployment": deployment, "set_name": set_name, "runs": runs, "since": since}
    rows = (
        tx.query("failures_of_set", **asked)
        if metric is None
        else tx.query("failures_of_metric", **asked, metric=metric)
    )
    return [_run(list(group)) for _, group in groupby(rows, key=lambda row: row["run_id"])]


def of_corrections(tx: Tx, deployment: str, since: datetime) -> list[CorrectionDay]:
    """Return the corrections by UTC day and failure category of this version of the taxonomy, the oldest day first."""
    rows = tx.query("correction_categories_by_day", deployment=deployment, since=since, taxonomy=TAXONOMY)
    return [CorrectionDay(**row) for row in rows]


def _run(rows: list[Row]) -> RunFailures:
    counts = tuple(FailureCount(**{name: row[name] for name in FailureCount.__slots__}) for row in rows)
    first = rows[0]
    return RunFailures(run_id=first["run_id"], at=first["at"], version=first["version"], counts=counts)
