"""Store the records of a partition until its end: `python -m tests.store.lake.ingest_worker URL DATA END`.

It continues at the stored position, as a consumer does after a start. It prints a line when it is ready.
"""

import sys

from monitor.clock import SystemClock
from monitor.errors import OffsetConflict, StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.traffic import interactions, source_positions
from tests.store.build import interaction
from tests.store.lake.lakes import place
from tests.store.traffic.test_source_positions import moved

BATCH = 20


def main(url: str, data: str, end: int) -> int:
    store = Store.open(url, data=place(data), clock=SystemClock())
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    while True:
        with store.read() as tx:
            positions = source_positions.of_cluster(tx, "c")
        before = positions[0].next_offset if positions else None
        first = before or 0
        if first >= end:
            return 0
        batch = range(first, min(first + BATCH, end))
        try:
            with store.write() as tx:
                interactions.insert(tx, [interaction(str(n)) for n in batch])
                source_positions.move(tx, [moved(before, batch.stop)])
        except (OffsetConflict, StoreUnavailable):  # another worker was first: continue at its position
            continue


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
