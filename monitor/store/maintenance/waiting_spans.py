"""Removes what waited for a call: the attributes and the links of spans whose call did not arrive in time."""

from datetime import datetime

from monitor.store.engine.transaction import Tx


def remove_before(tx: Tx, before: datetime) -> int:
    """Remove the contexts and links of spans that were received before a time, and return their number.

    Readers name the times that they read, so they see no difference.
    """
    return tx.execute("remove_span_context", before=before) + tx.execute("remove_span_links", before=before)
