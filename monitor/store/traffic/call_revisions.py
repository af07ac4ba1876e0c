"""Changes of stored calls: a call is appended again with other values, and its earlier row ends.

Statements read `current_interaction`: each call once, as it is now. `monitor/store/maintenance/fold.py` removes the
ended rows.
"""

from datetime import datetime

import pyarrow as pa

from monitor.store.engine.transaction import Tx


def revise(tx: Tx, name: str, batch: pa.Table, *, since: datetime) -> int:
    """Run the statement `sql/<name>.sql`, which appends calls of the batch again, and end their earlier rows.

    Return the number of calls. None of them was received before `since`, which limits the rows that are read.
    """
    with tx.within(None):
        revision = int(tx.query("next_call_revision")[0]["revision"])
        changed = tx.execute(name, batch=batch, revision=revision, since=since)
        if changed:
            tx.execute("end_revised_calls", revision=revision)
    return changed
