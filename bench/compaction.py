"""Times a compaction, and the readers and writers meanwhile: `python bench/compaction.py [ROWS [CHARACTERS]]`."""

import os
import sys
import tempfile
import threading
import time
from pathlib import Path

import duckdb

from monitor.clock import SystemClock
from monitor.domain.interaction import ChatMessage, Interaction
from monitor.store.engine.database import Store
from monitor.store.engine.file_store import FileStore
from monitor.store.traffic import interactions

BATCH = 5_000
BLOCK = 100_000  # calls that are made one by one
AGAIN = """
INSERT INTO interaction
SELECT * REPLACE (id || '-' || $n AS id, started_at - to_hours($n) AS started_at)
FROM (SELECT * FROM interaction LIMIT $block)
"""
WRITTEN = 100  # calls of a write while the file is compacted
BEFORE_S = 5.0


def rows(clock: SystemClock, start: int, count: int, characters: int) -> list[Interaction]:
    """Calls with so much text, half of it the question, that compresses as badly as random text does."""
    now = clock.now()
    return [
        Interaction(
            id=f"call-{n}",
            deployment="bench",
            started_at=now,
            received_at=now,
            source="http",
            convention="native",
            input_messages=(ChatMessage(role="user", content=os.urandom(characters // 4).hex()),),
            output_messages=(ChatMessage(role="assistant", content=os.urandom(characters // 4).hex()),),
        )
        for n in range(start, start + count)
    ]


def fill(path: Path, clock: SystemClock, count: int, characters: int) -> None:
    """Write `count` calls: one block, and that block again under other ids, an hour earlier each time."""
    store, block = Store.open(path, clock=clock), min(count, BLOCK)
    for start in range(0, block, BATCH):
        with store.write() as tx:
            interactions.insert(tx, rows(clock, start, BATCH, characters))
    store.close()
    with duckdb.connect(path, config={"memory_limit": "1GB"}) as connection:
        for n in range(1, count // block):
            connection.execute(AGAIN, {"n": n, "block": block})


def read_on(store: FileStore, stop: threading.Event, found: list[float]) -> None:
    """How long a reader waited for each answer, in seconds."""
    while not stop.is_set():
        started = time.monotonic()
        with store.read() as tx:
            tx.one("interaction_by_id", id="call-7")
        found.append(time.monotonic() - started)
        time.sleep(0.05)


def write_on(store: FileStore, characters: int, stop: threading.Event, found: list[float]) -> None:
    """How long each write of `WRITTEN` calls took, in seconds, its waiting included: ten a second."""
    clock = SystemClock()
    while not stop.is_set():
        batch = rows(clock, 10**9 + len(found) * WRITTEN, WRITTEN, characters)
        started = time.monotonic()
        with store.write() as tx:
            interactions.insert(tx, batch)
        found.append(time.monotonic() - started)
        time.sleep(max(0.0, 0.1 - found[-1]))


def held(store: FileStore, stop: threading.Event, found: list[float]) -> None:
    """How long writes were held, in seconds, at each look: mostly no time at all."""
    while not stop.is_set():
        since = time.monotonic()
        while store.compacting:
            time.sleep(0.001)
        found.append(time.monotonic() - since)
        time.sleep(0.001)


def compact(store: FileStore, characters: int) -> dict[str, list[float]]:
    """Compact the file while others read and write; all times in seconds."""
    times: dict[str, list[float]] = {"read": [], "write": [], "held": [], "took": []}
    stop = threading.Event()
    others = [
        threading.Thread(target=read_on, args=(store, stop, times["read"])),
        threading.Thread(target=write_on, args=(store, characters, stop, times["write"])),
        threading.Thread(target=held, args=(store, stop, times["held"])),
    ]
    for other in others:
        other.start()
    time.sleep(BEFORE_S)
    times["before"] = list(times["write"])
    started = time.monotonic()
    store.compact(lambda _tx: None)
    times["took"].append(time.monotonic() - started)
    stop.set()
    for other in others:
        other.join()
    return times


def main(count: int, characters: int) -> None:
    clock = SystemClock()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "driftd.duckdb"
        fill(path, clock, count, characters)
        store = Store.open(path, clock=clock)
        before = store.path.stat().st_size
        times = compact(store, characters)
        after, calls = store.path.stat().st_size, count + WRITTEN * len(times["write"])
        with store.read() as tx:
            stored = interactions.count(tx)
        store.close()
    if stored != calls:
        raise SystemExit(f"{stored} of {calls} interactions are in the new file")
    print(f"{count} interactions of {characters} characters, {before / 2**20:.0f} MiB to {after / 2**20:.0f} MiB")
    print(f"compacted in {times['took'][0]:.1f} s")
    print(f"meanwhile {len(times['write'])} writes of {WRITTEN} calls, held for {max(times['held']):.2f} s")
    print(f"the longest write took {max(times['write']):.2f} s, before the compaction {max(times['before']):.2f} s")
    print(f"the longest of {len(times['read'])} reads took {max(times['read']):.2f} s")


if __name__ == "__main__":
    asked = [int(word) for word in sys.argv[1:]]
    main(*asked, *(300_000, 500)[len(asked) :])
