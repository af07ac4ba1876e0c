"""Measure ingest on a store that already has many calls: `python bench/growth.py FOLDER`.

Each store has so many calls: none, 10 million, 100 million. They are written by SQL at the first use, about 190 bytes
of disk a call, and stay in FOLDER. Each round sends OTLP spans to a daemon on each store in turn, at full
load and at half of that rate, as `bench/ingest.py` does with batches of 100; then it ends a daemon with SIGKILL while
its log is long, and measures the next start. `over none` is the CPU time of a span over that on the empty store, the
middle of the rounds.
"""

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from bench.dashboard import wait_for_loops
from bench.ingest_study.jobs import OURS, Job, Sizes, Task
from bench.ingest_study.measuring import measure, send
from bench.ingest_study.programs import Program, programs, serve
from bench.ingest_study.server import Recipe, Server
from bench.large_store import Size, write_large_calls

BATCH: Final = 100
COLUMNS: Final = (
    "calls stored",
    "spans per second",
    "CPU per span, µs",
    "over none",
    "99th percentile at half load, ms",
    "peak, MB",
    "start, s",
    "start after SIGKILL, s",
)
JUDGED: Final = """
targets: {model: {base_url: "http://127.0.0.1:9/v1", model: gpt-4}}
deployments:
  bot: {target: model, turn_signals: "off"}
  shop: {target: model, turn_signals: "off"}
  desk: {target: model, turn_signals: "off"}
"""  # a store that grew with time has its turns judged; to judge ten million calls takes hours
FULL_LOG_BYTES: Final = 6_000_000  # a checkpoint comes at 12 MB
BURST_S: Final = 0.3
MOST_BURSTS: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Grown:
    """One round on one store. `start_s` is the time until the daemon answers, `crash_start_s` the same after a SIGKILL
    with `log_mb` of log.
    """

    calls: int
    spans_a_second: float
    cpu_us: float
    ack_p99_ms: float
    peak_mb: float
    start_s: float
    crash_start_s: float
    log_mb: float


class StoredCalls:
    """A store with many calls, which a daemon of the default configuration continues."""

    def __init__(self, folder: Path, calls: int) -> None:
        self.folder, self.calls = folder, calls
        self._before = 0

    def program(self) -> Program:
        """Return driftd on this store. It counts only the calls that arrive from now on."""
        ours = programs()[OURS]
        return Program(
            name=ours.name,
            recipe=lambda _: self.recipe(),
            stored=lambda recipe: ours.stored(recipe) - self._before,
            while_running=ours.while_running,
            version=ours.version,
            code=ours.code,
        )

    def recipe(self) -> Recipe:
        made = serve(self.folder)
        with (self.folder / "driftd.yaml").open("a", encoding="utf-8") as config:
            config.write(JUDGED)
        self._before = programs()[OURS].stored(made) if made.data[0].exists() else 0
        return made

    def write(self) -> None:
        """Write the calls, unless they are there."""
        done = self.folder / "written.json"
        if self.calls and not done.exists():
            recipe = self.recipe()
            write_large_calls(recipe.data[0], Size(calls=self.calls))
            with Server(recipe) as server:
                wait_for_loops(server.pid)
            done.write_text(json.dumps({"calls": self.calls}), encoding="utf-8")


def measured(store: StoredCalls, sizes: Sizes) -> Grown:
    """Measure one round on one store."""
    if not store.calls:
        _empty(store.folder)
    full, half = measure(
        store.program(), Task(program=OURS, jobs=(sizes.full(BATCH), sizes.half(BATCH))), first=time.time_ns()
    )
    start_s, crash_start_s, log_mb = _starts(store, sizes.full(BATCH))
    return Grown(
        calls=store.calls,
        spans_a_second=full.spans_a_second,
        cpu_us=1e6 / full.spans_a_core_second,
        ack_p99_ms=half.ack_p99_ms,
        peak_mb=max(full.peak_rss_mb, half.peak_rss_mb),
        start_s=start_s,
        crash_start_s=crash_start_s,
        log_mb=log_mb,
    )


def _empty(folder: Path) -> None:
    for file in serve(folder).data[0].parent.glob("driftd.duckdb*"):
        file.unlink()


def _starts(store: StoredCalls, job: Job) -> tuple[float, float, float]:
    began = time.monotonic()
    with Server(store.recipe()) as server:
        start_s = time.monotonic() - began
        log_mb = _fill_log(server, job)
        server.kill()
    began = time.monotonic()
    with Server(store.recipe()):
        return start_s, time.monotonic() - began, log_mb


def _fill_log(server: Server, job: Job) -> float:
    """Send until the log of the database is long. Return its size in MB."""
    log, cores = server.recipe.data[0].with_name("driftd.duckdb.wal"), frozenset(os.sched_getaffinity(0))
    for _ in range(MOST_BURSTS):
        send(server.recipe, job, cores, first=time.time_ns(), seconds=BURST_S, rate=0.0)
        if log.exists() and log.stat().st_size >= FULL_LOG_BYTES:
            break
    return log.stat().st_size / 1e6 if log.exists() else 0.0


def report(rounds: Sequence[Grown]) -> str:
    """Return the middle of the rounds for each store as a table, with the smallest and largest CPU time.

    >>> row = Grown(calls=0, spans_a_second=5e3, cpu_us=120.0, ack_p99_ms=90.0, peak_mb=400.0, start_s=2.0,
    ...     crash_start_s=2.5, log_mb=9.0)
    >>> print(report([row]).splitlines()[-1])
    | 0 | 5,000 | 120 (120 to 120) | 1.00 | 90 | 400 | 2.0 | 2.5 with 9 MB |
    """
    lines = [f"| {' | '.join(COLUMNS)} |", f"|{' --- |' * len(COLUMNS)}"]
    by_calls: dict[int, list[Grown]] = {}
    for one in rounds:
        by_calls.setdefault(one.calls, []).append(one)
    base = _middle(one.cpu_us for one in by_calls[min(by_calls)])
    for calls, made in sorted(by_calls.items()):
        cpus = sorted(one.cpu_us for one in made)
        lines.append(
            f"| {calls:,} | {_middle(one.spans_a_second for one in made):,.0f} "
            f"| {_middle(cpus):.0f} ({cpus[0]:.0f} to {cpus[-1]:.0f}) | {_middle(cpus) / base:.2f} "
            f"| {_middle(one.ack_p99_ms for one in made):.0f} | {_middle(one.peak_mb for one in made):.0f} "
            f"| {_middle(one.start_s for one in made):.1f} "
            f"| {_middle(one.crash_start_s for one in made):.1f} "
            f"with {_middle(one.log_mb for one in made):.0f} MB |"
        )
    return "\n".join(lines) + "\n"


def _middle(values: Iterable[float]) -> float:
    return statistics.median(values)


def main() -> int:
    options = _arguments()
    if options.report:
        stored: list[dict[str, Any]] = json.loads(options.report.read_text(encoding="utf-8"))
        sys.stdout.write(report([Grown(**one) for one in stored]))
        return 0
    stores = [StoredCalls(options.folder / str(calls), calls) for calls in options.calls]
    for store in stores:
        store.folder.mkdir(parents=True, exist_ok=True)
        store.write()
    rounds = []
    for _ in range(options.rounds):
        for store in stores:
            rounds.append(measured(store, Sizes(seconds=options.seconds)))
            sys.stderr.write(f"{rounds[-1]}\n")
    if options.json:
        options.json.write_text(json.dumps([asdict(one) for one in rounds], indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(report(rounds))
    return 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?", help="of the stores, which stay there")
    parser.add_argument("--calls", type=int, nargs="+", default=[0, 10_000_000, 100_000_000], help="(%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="measurements of each store (%(default)s)")
    parser.add_argument("--seconds", type=float, default=Sizes().seconds, help="of sending (%(default)s)")
    parser.add_argument("--json", type=Path, help="write the measurements to this file too")
    parser.add_argument("--report", type=Path, help="measure nothing: print this file as a table")
    options = parser.parse_args()
    if options.folder is None and options.report is None:
        parser.error("name the folder of the stores")
    return options


if __name__ == "__main__":
    sys.exit(main())
