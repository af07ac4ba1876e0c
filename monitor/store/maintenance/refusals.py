"""Classifies replies as refusals, for calls that an older driftd stored without the classification."""

from monitor.domain.refusal import refusals_of
from monitor.store.aggregates import settled_days
from monitor.store.engine.schema import REFUSALS, table_from
from monitor.store.engine.transaction import Tx
from monitor.store.maintenance.fold import fold


def any_unclassified(tx: Tx) -> bool:
    """Return whether a call is stored that `fill` has to classify."""
    return bool(tx.query("any_unclassified"))


def fill(tx: Tx, limit: int) -> int:
    """Classify at most `limit` calls and return their number: 0 when every call is classified."""
    fold(tx)
    calls = tx.table("calls_without_refusal", limit=limit)
    if not calls.num_rows:
        return 0
    decided = refusals_of(*(calls[name].to_pylist() for name in ("output_text", "status", "content_state")))
    times = calls["started_at"].to_pylist()
    settled_days.unsettle(tx, calls["deployment"].to_pylist(), times)
    batch = table_from(REFUSALS, {"id": calls["id"].to_pylist(), "started_at": times, "refusal": decided})
    tx.execute("fill_refusal", batch=batch, since=min(times), until=max(times))
    return len(decided)
