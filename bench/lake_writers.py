"""Measure commits into a lake: `python bench/lake_writers.py --data s3 --writers 2 4`.

`PYTHONPATH=.venv/duckdb-1.5.5 python bench/lake_writers.py --data folder s3 --writers 1 2 4 --seconds 30`

Each writer is a process that commits calls with their read position, as ingest from Kafka does, in batches of 10,000.
The CPU time of a row is that of the writer for the insert and the commit; rows are made before. With `--loops`, daemons
with the roles `control` and `maintain` work on the same lake, and a reader asks for the newest 50 calls each second.
The object store is a local gateway (`.ci/s3`) and PostgreSQL is local: both take CPU of the same machine.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from typing import Final

import msgspec

from monitor.clock import SystemClock
from monitor.domain.interaction import Interaction
from monitor.errors import OffsetConflict, StoreUnavailable
from monitor.store.engine.database import Store
from monitor.store.engine.schema import TABLES, table_from
from monitor.store.lake.lake_store import LakeStore
from monitor.store.traffic import interactions, source_positions
from monitor.store.traffic.interaction_codec import interaction_columns
from monitor.store.traffic.source_positions import OffsetMove
from tests.kills.lake_processes import processes
from tests.store.build import interaction, user
from tests.store.lake.lakes import Lakes, place, running_lakes

ROWS: Final = 10_000
WORDS: Final = 200  # of a prompt, 1.2 kB
MOST_WORDS: Final = 5_000  # that prompts are made of
NEWEST: Final = "SELECT id FROM current_interaction ORDER BY received_at DESC LIMIT 50"
PAUSE_S: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What one writer did. `cpu_s` and `commit_ms` are of the insert and its commit; of the CPU time, `columns_s` went
    to the conversion of rows to columns, which a store of one file needs too.
    """

    rows: int
    refused: int
    cpu_s: float
    columns_s: float
    commit_ms: list[float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Writers that commit into one lake at the same time."""

    data: str
    writers: int
    threads: int  # of DuckDB in each writer
    loops: bool
    seconds: float
    rows_a_second: float
    cpu_us: float  # of the writers, for a row
    lake_us: float  # of that without the conversion to columns
    gateway_us: float  # of the object store, for a row
    commits: int
    refused: int
    p50_ms: float
    p95_ms: float
    stored: bool  # every committed row is there once
    newest_p95_ms: float | None  # of the reader


def write(url: str, data: str, number: int, seconds: float, threads: int) -> Written:
    """Commit batches until the time is over."""
    clock, rng = SystemClock(), Random(number)
    store = Store.open(url, data=place(data), threads=threads, clock=clock)
    words = [f"{rng.getrandbits(32):x}"[: rng.randint(2, 8)] for _ in range(MOST_WORDS)]
    messages = [(user(" ".join(rng.choices(words, k=WORDS))),) for _ in range(ROWS)]
    rows = refused = 0
    cpu_s, columns_s, took = 0.0, 0.0, []
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        batch = list(_batch(f"{number}-{rows}", messages, clock))
        cpu = time.process_time()
        table_from(TABLES["interaction"], {**interaction_columns(batch), "limited_to": [None] * ROWS})
        columns_s += time.process_time() - cpu
        began, cpu = time.monotonic(), time.process_time()
        try:
            with store.append() as tx:
                interactions.insert(tx, batch)
                source_positions.move(tx, [_move(number, rows, clock)])
        except (OffsetConflict, StoreUnavailable):
            refused += 1
        else:
            rows += ROWS
        took.append((time.monotonic() - began) * 1e3)
        cpu_s += time.process_time() - cpu
    store.close()
    return Written(rows=rows, refused=refused, cpu_s=cpu_s, columns_s=columns_s, commit_ms=took)


def _batch(name: str, messages: Sequence[tuple[object, ...]], clock: SystemClock) -> Iterator[Interaction]:
    now, base = clock.now(), interaction("x")
    for at, texts in enumerate(messages):
        yield msgspec.structs.replace(
            base,
            id=f"{name}-{at}",
            received_at=now,
            started_at=now - timedelta(milliseconds=at % 2_000),
            input_messages=texts,
        )


def _move(number: int, rows: int, clock: SystemClock) -> OffsetMove:
    return OffsetMove(
        cluster_id="c",
        topic_id="t",
        topic="calls",
        partition=number,
        before=rows or None,
        after=rows + ROWS,
        at=clock.now(),
    )


def measure(lakes: Lakes, writers: int, seconds: float, *, threads: int, loops: bool) -> Measured:
    """Start the writers at the same time, and wait for their end."""
    lake, clock = lakes.create(), SystemClock()
    command = [sys.executable, __file__, "--writer", lakes.server.url(lake), str(lakes.data)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with ExitStack() as running:
        if loops:
            folder = Path(running.enter_context(tempfile.TemporaryDirectory(prefix="driftd-writers-")))
            roles = ["control", "maintain"]
            for daemon, role in zip(running.enter_context(processes(folder, lakes, lake, roles)), roles, strict=True):
                daemon.start("--role", role)
                daemon.wait_ready()
        started = [
            subprocess.Popen(
                [*command, str(number), str(seconds), str(threads)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=env,
            )
            for number in range(writers)
        ]
        for process in started:
            assert process.stdout is not None
            process.stdout.readline()
        gateway_s, began = _cpu_s(lakes), time.monotonic()
        for process in started:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        store = lakes.open(lake, clock)
        newest = list(_read(store, started)) if loops else []
        texts = [process.communicate()[0] for process in started]
        took_s, gateway_s = time.monotonic() - began, _cpu_s(lakes) - gateway_s
        done = [msgspec.json.decode(text, type=Written) for text in texts]
        with store.read() as tx:
            stored = interactions.count(tx)
        store.close()
    rows, took = sum(each.rows for each in done), sorted(ms for each in done for ms in each.commit_ms)
    return Measured(
        data="folder" if lakes.gateway is None else "s3",
        writers=writers,
        threads=threads,
        loops=loops,
        seconds=took_s,
        rows_a_second=rows / took_s,
        cpu_us=sum(each.cpu_s for each in done) / rows * 1e6,
        lake_us=sum(each.cpu_s - each.columns_s for each in done) / rows * 1e6,
        gateway_us=gateway_s / rows * 1e6,
        commits=rows // ROWS,
        refused=sum(each.refused for each in done),
        p50_ms=statistics.median(took),
        p95_ms=took[int(len(took) * 0.95)],
        stored=stored == rows,
        newest_p95_ms=sorted(newest)[int(len(newest) * 0.95)] if newest else None,
    )


def _read(store: LakeStore, writers: Sequence["subprocess.Popen[str]"]) -> Iterator[float]:
    """Yield the milliseconds of each read while a writer is at work."""
    while any(process.poll() is None for process in writers):
        began = time.monotonic()
        with store.read() as tx:
            tx._cursor.execute(NEWEST).fetchall()  # noqa: SLF001 - a statement of the measurement
        yield (time.monotonic() - began) * 1e3
        time.sleep(PAUSE_S)


def _cpu_s(lakes: Lakes) -> float:
    """Return the CPU time of the object store so far."""
    if lakes.gateway is None or lakes.gateway.process is None:
        return 0.0
    fields = Path(f"/proc/{lakes.gateway.process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", nargs="+", choices=["folder", "s3"], default=["s3"])
    parser.add_argument("--writers", nargs="+", type=int, default=[2, 4])
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--threads", type=int, default=1, help="of DuckDB in each writer")
    parser.add_argument("--loops", action="store_true", help="with daemons and a reader at work")
    parser.add_argument(
        "--writer", nargs=5, metavar=("URL", "DATA", "NUMBER", "SECONDS", "THREADS"), help=argparse.SUPPRESS
    )
    options = parser.parse_args()
    if options.writer:
        url, data, number, seconds, threads = options.writer
        sys.stdout.write(json.dumps(asdict(write(url, data, int(number), float(seconds), int(threads)))))
        return 0
    for data in options.data:
        with running_lakes(on_s3=data == "s3") as lakes:
            for writers in options.writers:
                done = measure(lakes, writers, options.seconds, threads=options.threads, loops=options.loops)
                sys.stdout.write(f"{json.dumps(asdict(done))} load={os.getloadavg()[0]:.1f}\n")
                sys.stdout.flush()
    return 0


if __name__ == "__main__":
    sys.exit(main())
