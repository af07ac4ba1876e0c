"""Send SIGKILL in the middle of a compaction under live ingest: the file is the old one or the new one, complete."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random
from time import monotonic, sleep

from monitor.clock import SystemClock
from monitor.domain.interaction import ChatMessage, Interaction
from monitor.store.engine.compact_files import copy_of
from monitor.store.engine.database import Store
from monitor.store.traffic import interactions
from tests.kills.file import rows_of, settle
from tests.kills.ingest_kills import Verdict, judge, until_more
from tests.kills.process import Daemon
from tests.kills.senders import Senders

SENDERS = 3
STORED = 40_000  # calls that exist before the first kill: their copy takes some tenths of a second
CHARACTERS = 600
BATCH = 4_000
PATIENCE_S = 60.0
NAME = "stored-before-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    """`at` is copying, replacing, done or waiting: what the compaction was at when the process ended."""

    number: int
    at: str
    after_s: float  # since the copy began
    acknowledged: int  # batches, before it
    sent_again: int


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionVerdict:
    """The state of the file at the end. All fields but the first two must be 0."""

    ingest: Verdict
    in_the_middle: int  # kills while the copy existed
    stored_lost: int  # of the calls that existed before the first kill
    open_orders: int
    left_files: int

    @property
    def holds(self) -> bool:
        return self.ingest.holds and not (self.stored_lost or self.open_orders or self.left_files)


def compaction_kills(
    folder: Path, *, kills: int, seed: int, report: Callable[[Kill], None] = lambda _: None, stored: int = STORED
) -> CompactionVerdict:
    rng, middle = Random(seed), 0
    with Daemon(folder=folder, model_url="http://127.0.0.1:9/v1") as daemon:
        _fill(daemon.file, stored)
        senders = Senders(daemon.addresses, count=SENDERS, names=f"seed-{seed}")
        senders.start()
        longest_s = 1.0
        try:
            for number in range(1, kills + 1):
                kill, copied_s = _kill(daemon, rng, senders, number, longest_s)
                longest_s = max(0.2, copied_s or longest_s)
                middle += kill.at in {"copying", "replacing"}
                report(kill)
            daemon.start()
            daemon.wait_ready()
            until_more(senders, len(senders.acknowledged) + SENDERS)
        finally:
            senders.finish()
        _until(lambda: not _open_orders(daemon), "the open compactions end")
        daemon.kill()
        settle(daemon)
        left = [path for path in folder.iterdir() if path.name.endswith((".compact", ".compact.wal", ".changes"))]
        with rows_of(daemon.file) as rows:
            kept = rows.number(f"SELECT count(DISTINCT id) FROM interaction WHERE id LIKE '{NAME}%'")
            return CompactionVerdict(
                ingest=judge(rows, senders),
                in_the_middle=middle,
                stored_lost=stored - kept,
                open_orders=rows.number("SELECT count(*) FROM compaction WHERE compacted_at IS NULL"),
                left_files=len(left),
            )


def _kill(daemon: Daemon, rng: Random, senders: Senders, number: int, longest_s: float) -> tuple[Kill, float | None]:
    """Kill the daemon at a random instant of a compaction. Return also how long the copy took if it ended before."""
    daemon.start()
    daemon.wait_ready()
    copy = copy_of(daemon.file)
    done_before = _done(daemon)
    if not _open_orders(daemon):
        daemon.post("compactions", {})
    _until(lambda: copy.exists() or _done(daemon) > done_before, "the compaction begins")
    began = monotonic()
    until = began + rng.uniform(0.0, longest_s * 1.3)
    ended: float | None = None
    while monotonic() < until:
        if not copy.exists() and ended is None:
            ended = monotonic() - began
        sleep(0.002)
    there = copy.exists()
    daemon.kill()
    replacing = there and not copy.exists()
    kill = Kill(
        number=number,
        at="replacing" if replacing else "copying" if there else "done",
        after_s=monotonic() - began,
        acknowledged=len(senders.acknowledged),
        sent_again=senders.again,
    )
    return kill, ended


def _open_orders(daemon: Daemon) -> int:
    return sum(item["compacted_at"] is None for item in daemon.get("compactions", limit="500")["items"])


def _done(daemon: Daemon) -> int:
    return sum(item["compacted_at"] is not None for item in daemon.get("compactions", limit="500")["items"])


def _until(holds: Callable[[], bool], what: str) -> None:
    deadline = monotonic() + PATIENCE_S
    while not holds():
        assert monotonic() < deadline, f"not within {PATIENCE_S:.0f} s: {what}"
        sleep(0.01)


def _fill(path: Path, count: int) -> None:
    clock = SystemClock()
    store = Store.open(path, clock=clock)
    try:
        for start in range(0, count, BATCH):
            with store.write() as tx:
                interactions.insert(tx, [_call(n, clock) for n in range(start, min(count, start + BATCH))])
    finally:
        store.close()


def _call(number: int, clock: SystemClock) -> Interaction:
    now = clock.now()
    return Interaction(
        id=f"{NAME}{number}",
        deployment="chat",
        started_at=now,
        received_at=now,
        source="http",
        convention="native",
        input_messages=(ChatMessage(role="user", content=os.urandom(CHARACTERS // 4).hex()),),
        output_messages=(ChatMessage(role="assistant", content=os.urandom(CHARACTERS // 4).hex()),),
    )
