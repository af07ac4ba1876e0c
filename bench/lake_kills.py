"""Kills and freezes the processes that replay the slices of one run on a lake, and verifies what is stored.

`PYTHONPATH=.venv/duckdb-1.5.5 python bench/lake_kills.py --cases 100000 --workers 4 --kills 10 --freezes 2`

PostgreSQL, the endpoint and all processes are on this machine. Exit code 1 when an outcome is missing or twice, when
requests are not recorded, or when a limit of the target was exceeded.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any, Final

from bench.replay_study.endpoint_process import EndpointProcess, running_endpoint
from bench.replay_study.questions import expected_passes, write_cases
from monitor.clock import SystemClock
from monitor.store.lake.lake_store import LakeStore
from tests.kills.lake_processes import freeze, processes, thaw
from tests.kills.process import DEPLOYMENT, DRIFTD, SET, Daemon
from tests.store.lake.lakes import running_lakes

FROZEN_S: Final = 13.0  # longer than a lease
BURST_S: Final = 2.0
OUTCOMES: Final = """
SELECT count(*), count(DISTINCT (case_id, sample)), epoch(max(started_at) - min(started_at))
FROM lake.main.outcome WHERE run_id = ?
"""
REQUESTS: Final = "SELECT sum(requests)::BIGINT, sum(open)::BIGINT FROM control.main.replay_spend WHERE run_id = ?"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What one run stored, and what the endpoint received."""

    cases: int
    workers: int
    kills: int
    freezes: int
    state: str
    outcomes: int
    different: int
    requests_recorded: int
    requests_open: int
    requests_received: int
    most_in_flight: int
    concurrency: int
    per_minute: float | None
    calls_s: float
    seconds: float
    worker_cpu_s: float  # of the workers since their last starts

    @property
    def repeated(self) -> int:
        return self.requests_received - self.cases

    @property
    def holds(self) -> bool:
        """Return whether each outcome is stored once, each request is recorded, and the pace was kept within 5 %."""
        stored = self.state == "complete" and self.outcomes == self.different == self.cases
        recorded = self.requests_open == 0 and self.requests_recorded >= self.requests_received
        fastest_s = 0.0 if self.per_minute is None else (self.cases / self.per_minute * 60.0 - BURST_S) * 0.95
        return stored and recorded and self.most_in_flight <= self.concurrency and self.calls_s >= fastest_s


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=10_000, help="of the run (%(default)s)")
    parser.add_argument("--workers", type=int, default=4, help="processes of the role work (%(default)s)")
    parser.add_argument("--kills", type=int, default=10, help="with SIGKILL (%(default)s)")
    parser.add_argument("--freezes", type=int, default=2, help=f"of {FROZEN_S:.0f} s each (%(default)s)")
    parser.add_argument("--concurrency", type=int, default=64, help="calls of the target at once (%(default)s)")
    parser.add_argument("--per-minute", type=float, help="requests of the target in a minute (no limit)")
    parser.add_argument("--latency-ms", type=float, default=20.0, help="of the endpoint (%(default)s)")
    parser.add_argument("--minutes", type=float, default=30.0, help="give up after this many minutes (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the instants (%(default)s)")
    options = parser.parse_args()
    verdict = replay_with_kills(options)
    sys.stdout.write(
        json.dumps(asdict(verdict) | {"repeated": verdict.repeated, "holds": verdict.holds}, indent=1) + "\n"
    )
    return 0 if verdict.holds else 1


def replay_with_kills(options: argparse.Namespace) -> Verdict:
    with tempfile.TemporaryDirectory(prefix="driftd-lake-kills-") as folder, _started(Path(folder), options) as found:
        leader, workers, endpoint, store = found
        began = monotonic()
        run_id = str(leader.post("runs", {"deployment": DEPLOYMENT, "set_name": SET})["id"])
        random, until = Random(options.seed), began + 60.0 * options.minutes
        harms = ["kill"] * options.kills + ["freeze"] * options.freezes
        random.shuffle(harms)
        share = options.cases / (len(harms) + 1)
        for number, harm in enumerate(harms, 1):
            while endpoint.counts().requests < number * share and monotonic() < until:
                sleep(0.05)
            _harm(random.choice(workers), harm)
            _log(f"{harm} {number} of {len(harms)} after {endpoint.counts().requests} requests")
        while (state := leader.get(f"runs/{run_id}")["state"]) in ("planned", "running") and monotonic() < until:
            sleep(0.5)
        with store._cursor("read") as cursor:  # noqa: SLF001 - no statement of driftd asks this
            [(outcomes, different, calls_s)] = cursor.execute(OUTCOMES, [run_id]).fetchall()
            [(recorded, open_requests)] = cursor.execute(REQUESTS, [run_id]).fetchall()
        counts = endpoint.counts()
        return Verdict(
            cases=options.cases,
            workers=options.workers,
            kills=options.kills,
            freezes=options.freezes,
            state=str(state),
            outcomes=outcomes,
            different=different,
            requests_recorded=recorded,
            requests_open=open_requests,
            requests_received=counts.requests,
            most_in_flight=counts.most_in_flight,
            concurrency=options.concurrency,
            per_minute=options.per_minute,
            calls_s=calls_s,
            seconds=monotonic() - began,
            worker_cpu_s=sum(map(_cpu_s, workers)),
        )


@contextmanager
def _started(
    folder: Path, options: argparse.Namespace
) -> Iterator[tuple[Daemon, list[Daemon], EndpointProcess, LakeStore]]:
    roles = ["control"] + ["work"] * options.workers
    with running_lakes() as lakes, running_endpoint() as endpoint:
        lake = lakes.create()
        target: dict[str, Any] = {
            "base_url": endpoint.base_url,
            "model": "mock-model",
            "concurrency": options.concurrency,
        }
        if options.per_minute is not None:
            target["requests_per_minute"] = options.per_minute
        more: dict[str, Any] = {
            "targets": {"model": target},
            "replay": {"max_calls": max(options.concurrency, 1)},
            "sets": {SET: {"kind": "frozen", "key_file": "primes.key", "scorers": [{"kind": "numeric"}]}},
        }
        with processes(folder, lakes, lake, roles, **more) as daemons:
            store = lakes.open(lake, SystemClock())
            try:
                for daemon, role in zip(daemons, roles, strict=True):
                    daemon.start("--role", role)
                for daemon in daemons:
                    daemon.wait_ready()
                _import_cases(daemons[0], write_cases(folder / "cases.jsonl", options.cases))
                endpoint.begin(options.latency_ms)
                _log(f"{options.cases} cases are imported, {expected_passes(options.cases)} will pass")
                yield daemons[0], daemons[1:], endpoint, store
            finally:
                store.close()


def _import_cases(leader: Daemon, file: Path) -> None:
    command = [*DRIFTD, "sets", "import", SET, str(file), "--config", str(leader.config)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _harm(worker: Daemon, harm: str) -> None:
    """Kill a worker and start it again, or freeze it for longer than its lease."""
    if harm == "kill":
        worker.kill()
        worker.start("--role", "work")
        return
    freeze(worker)
    sleep(FROZEN_S)
    thaw(worker)


def _cpu_s(worker: Daemon) -> float:
    """Return the CPU time of a process since its last start."""
    fields = Path(f"/proc/{worker.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _log(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
