"""The results of ended runs, stored once, so that a list of runs does not fold every score again.

The rows of a settled run are what the views `unsettled_case`, `unsettled_metric` and `run_count` compute from its
scores, and the scorers that `night_judges` names. Each statement that changes scores removes them in the same
transaction. The views then compute them from the scores until the settle loop stores them again, so a reader never
sees a difference.
"""

from collections.abc import Sequence

from monitor.store.engine.transaction import Tx


def settle(tx: Tx, limit: int) -> int:
    """Store the results of the newest ended runs that have none, `limit` at most. Return their number."""
    found = [row["id"] for row in tx.query("unsettled_runs", limit=limit)]
    if found:
        tx.execute("settle_cases", run_ids=found)
        tx.execute("settle_counts", run_ids=found)
        tx.execute("settle_judges", run_ids=found)
        tx.execute("settle_metrics", run_ids=found)
        tx.execute("settle_runs", run_ids=found)
    return len(found)


def any_unsettled(tx: Tx) -> bool:
    """Return whether an ended run has no stored results."""
    return bool(tx.query("unsettled_runs", limit=1))


def unsettle(tx: Tx, run_ids: Sequence[str]) -> None:
    """Remove the stored results of runs whose scores or cases change in this transaction."""
    _remove(tx, [row["run_id"] for row in tx.query("settled_runs_of", run_ids=list(run_ids))])


def unsettle_set(tx: Tx, set_name: str) -> None:
    """Remove the stored results of every run of a set, because its cases or their scores change."""
    _remove(tx, [row["run_id"] for row in tx.query("settled_runs_of_set", name=set_name)])


def _remove(tx: Tx, settled: list[str]) -> None:
    if settled:
        tx.defer("unsettle_cases", run_ids=settled)
        tx.defer("unsettle_counts", run_ids=settled)
        tx.defer("unsettle_judges", run_ids=settled)
        tx.defer("unsettle_metrics", run_ids=settled)
        tx.defer("unsettle_runs", run_ids=settled)
        tx.defer("forget_noise", run_ids=settled)
