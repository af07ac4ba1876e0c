"""The critical cases of a run, and how many of their samples contain forbidden content."""

from collections.abc import Mapping

from monitor.domain.run import CriticalCase
from monitor.store.engine.transaction import Tx


def of_run(tx: Tx, run_id: str, forbidden: Mapping[str, str]) -> list[CriticalCase]:
    """Return every critical case of the revision of the run, in position order, with all samples of the run.

    `forbidden` has the failure category of forbidden content by scorer; without a scorer there are no samples.
    """
    categories = [f"{scorer}/{category}" for scorer, category in forbidden.items()]
    rows = tx.query("critical_cases", run_id=run_id, scorers=list(forbidden), forbidden=categories)
    return [CriticalCase(**row) for row in rows]
