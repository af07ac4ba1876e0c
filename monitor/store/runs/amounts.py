"""Latency, cost and length of the answers of a run."""

from collections.abc import Mapping

from monitor.domain.nights import Floats
from monitor.store.engine.arrays import floats
from monitor.store.engine.transaction import Tx

AMOUNTS = ("latency_ms", "cost_usd", "output_tokens")


def amounts_of_run(tx: Tx, run_id: str) -> Mapping[str, Floats]:
    """Return the amounts of the answers without an error; NaN where the target did not report one."""
    table = tx.table("amounts_of_run", run_id=run_id)
    return {name: floats(table[name]) for name in AMOUNTS}
