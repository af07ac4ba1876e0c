"""Decides whether answers refuse, for calls that an older driftd stored without that."""

from monitor.domain.refusal import refusal_of
from monitor.store.columns import REFUSALS, table_of
from monitor.store.interaction_row import to_interaction
from monitor.store.transaction import Tx


def fill(tx: Tx, limit: int) -> int:
    """Decide at most `limit` calls and return their number: 0 when every call is decided."""
    calls = [to_interaction(row) for row in tx.query("calls_lacking_refusal", limit=limit)]
    if not calls:
        return 0
    rows = [{"id": call.id, "started_at": call.started_at, "refusal": refusal_of(call)} for call in calls]
    times = [call.started_at for call in calls]
    tx.execute("fill_refusal", batch=table_of(REFUSALS, rows), since=min(times), until=max(times))
    return len(calls)
