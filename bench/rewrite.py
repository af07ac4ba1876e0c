"""How long a rewrite of the file takes, and how long it keeps writes waiting: `python bench/rewrite.py [ROWS]`."""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

from monitor.clock import SystemClock
from monitor.domain.interaction import ChatMessage, Interaction
from monitor.store import interactions
from monitor.store.database import Store

BATCH = 5_000


def rows(clock: SystemClock, start: int) -> list[Interaction]:
    """Calls of about a kilobyte that compress as badly as random text does."""
    now = clock.now()
    return [
        Interaction(
            id=f"call-{n}",
            deployment="bench",
            started_at=now,
            received_at=now,
            source="http",
            convention="native",
            input_messages=(ChatMessage(role="user", content=os.urandom(150).hex()),),
            output_messages=(ChatMessage(role="assistant", content=os.urandom(100).hex()),),
        )
        for n in range(start, start + BATCH)
    ]


def longest_read(store: Store, stop: threading.Event, found: list[float]) -> None:
    """The longest time a reader waited for an answer."""
    while not stop.is_set():
        started = time.monotonic()
        with store.read() as tx:
            tx.one("interaction_by_id", id="call-7")
        found.append(time.monotonic() - started)


def main(count: int) -> None:
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as folder:
        store = Store.open(Path(folder) / "driftd.duckdb", clock=clock)
        for start in range(0, count, BATCH):
            with store.write() as tx:
                interactions.insert(tx, rows(clock, start))
        time.sleep(1.1)
        store.checkpoint_when_idle()
        stop, waited = threading.Event(), [0.0]
        reader = threading.Thread(target=longest_read, args=(store, stop, waited))
        before, started = store.path.stat().st_size, time.monotonic()
        reader.start()
        store.rewrite(lambda _tx: None)
        took_s = time.monotonic() - started
        stop.set()
        reader.join()
        after = store.path.stat().st_size
        store.close()
    print(f"{count} interactions, {before / 2**20:.0f} MiB to {after / 2**20:.0f} MiB")
    print(f"writes waited {took_s:.1f} s, the longest of {len(waited)} reads {max(waited):.2f} s")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 300_000)
