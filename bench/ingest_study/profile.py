"""Measure the CPU time of a span: step by step without a profiler, then by file with one."""

import cProfile
import os
import pstats
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.drift_study.markdown import table
from bench.ingest_study.bodies import Body, body
from bench.replay_study.profile import rows_of
from monitor import ingest_parts
from monitor.cli.serve import _collect_less
from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.normalize.normalizer import Normalizer
from monitor.ingest.normalize.replay_echo import EchoFilter
from monitor.ingest.otlp import protobuf as otlp_protobuf
from monitor.ingest.otlp.decode import decode
from monitor.ingest.redact.settings import redactor_of
from monitor.store.engine.database import Store
from monitor.store.traffic import interactions

SPANS = 512
ROUNDS = 30
WARM = 4  # rounds that are not counted: they import modules and touch memory pages


class Line:
    """The steps of the daemon in one thread, for one request after another."""

    def __init__(self, folder: Path) -> None:
        (folder / "driftd.yaml").write_text("store: {path: driftd.duckdb}\n")
        config = load(folder / "driftd.yaml", os.environ)
        self._clock = SystemClock()
        self._store = Store.open(folder / "driftd.duckdb", clock=self._clock)
        self._normalizer = Normalizer(
            rules=ingest_parts.deployment_rules(config),
            identify=ingest_parts.identify(config),
            echo=EchoFilter(known_run=lambda _trace: None, sealed=lambda _text: False),
            redactor=redactor_of(config),
        )
        self.spent_s: dict[str, float] = {}

    def take(self, sent: bytes) -> None:
        now = self._clock.now()
        with self._step("protobuf to records"):
            request = otlp_protobuf.read_traces(sent)
        with self._step("records to interactions"):
            decoded = decode(request, rules=self._normalizer.rules, conventions=CONVENTIONS, now=now)
        with self._step("prompt hash, version, echo, redaction"):
            batch = self._normalizer.otlp(decoded, now)
        with self._step("commit with the log on disk"), self._store.write() as tx:
            before = time.process_time()
            interactions.insert(tx, batch.interactions)
            took_s = time.process_time() - before
        self._add("columns and insert", took_s)
        self._add("commit with the log on disk", -took_s)

    def close(self) -> None:
        self._store.close()

    @contextmanager
    def _step(self, name: str) -> Iterator[None]:
        """Measure the CPU time of all threads."""
        before = time.process_time()
        yield
        self._add(name, time.process_time() - before)

    def _add(self, name: str, took_s: float) -> None:
        self.spent_s[name] = self.spent_s.get(name, 0.0) + took_s


def profile() -> str:
    """Return two tables in microseconds per span. The profiler of the second table slows everything down."""
    _collect_less()  # as the daemon does
    requests = body(SPANS, seed=1)
    with tempfile.TemporaryDirectory(prefix="driftd-bench-") as name:
        line = Line(Path(name))
        _feed(line, requests, 0, WARM)
        line.spent_s.clear()
        _feed(line, requests, WARM, ROUNDS)
        steps = dict(line.spent_s)
        profiler = cProfile.Profile()
        profiler.enable()
        _feed(line, requests, WARM + ROUNDS, ROUNDS)
        profiler.disable()
        line.close()
    spans = SPANS * ROUNDS
    rows = [[step, f"{1e6 * took_s / spans:.1f}"] for step, took_s in steps.items()]
    rows.append(["together", f"{1e6 * sum(steps.values()) / spans:.1f}"])
    named = [[room, f"{1000 * float(ms):.1f}"] for room, ms in rows_of(pstats.Stats(profiler), spans)]
    return table(f"Step by step, batches of {SPANS}, no HTTP", ["step", "CPU a span, µs"], rows) + table(
        "The same under the profiler", ["where", "own time a span, µs"], named
    )


def _feed(line: Line, requests: Body, first: int, rounds: int) -> None:
    for number in range(first, first + rounds):
        line.take(requests.sent(number * SPANS, time.time_ns()))
