"""Compares workers on a Ray cluster with processes of the role `work`: programs in the sandbox score the replies.

`PYTHONPATH=$PWD/.venv/duckdb-1.5.5:$PWD/.venv/ray:$PWD python bench/lake_ray.py --cases 2000 --rounds 3`

PostgreSQL, the endpoint, one Ray node and all processes are on this machine. Each round is one run with two processes
and one with two workers on Ray, so that other work on the machine meets both. CPU times include the programs.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from time import monotonic
from typing import Final

from tests.kills.waiting import until
from tests.store.lake.lakes import running_lakes
from tests.store.lake.ray_nodes import RayNodes, running_ray
from tests.store.lake.replay_cluster import Cluster
from tests.store.lake.test_lake_ray import lake_ray, sums, worker_pids

WORKERS: Final = 2
PATIENCE_S: Final = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """One run. CPU seconds are of the workers, and of all other processes of Ray; memory is of one worker."""

    on: str
    start_s: float
    seconds: float
    worker_cpu_s: float
    ray_cpu_s: float
    worker_mb: float


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=2000, help="of each run (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, help="(%(default)s)")
    parser.add_argument("--latency-ms", type=float, default=20.0, help="of the endpoint (%(default)s)")
    options = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="driftd-lake-ray-") as folder,
        running_lakes() as lakes,
        running_ray() as ray,
    ):
        began = monotonic()
        ray.add("first", cpus=4)  # of two processors: both kinds of workers give DuckDB two threads
        cluster = {"start_s": monotonic() - began, "idle_mb": sum(map(_mb, _ray_pids(ray)))}
        roles = ("work",) * WORKERS
        with sums(Path(folder), lakes, cases=options.cases, more_roles=roles, latency_ms=options.latency_ms) as found:
            rounds = [one for _ in range(options.rounds) for one in (_processes(found), _on_ray(found, ray))]
    sys.stdout.write(
        json.dumps({"cluster": cluster, "runs": [*map(asdict, rounds)]} | _ratios(rounds), indent=1) + "\n"
    )
    return 0


def _processes(found: Cluster) -> Measured:
    began = monotonic()
    for worker in found.workers:
        worker.start("--role", "work")
    for worker in found.workers:
        worker.wait_ready()
    try:
        return _run(found, "processes", monotonic() - began, [worker.pid for worker in found.workers], [])
    finally:
        for worker in found.workers:
            worker.stop()


def _on_ray(found: Cluster, ray: RayNodes) -> Measured:
    began = monotonic()
    with lake_ray(found.leader, ray, "--cpus", "2", workers=WORKERS) as command:
        command.started(WORKERS)
        measured = _run(found, "ray", monotonic() - began, worker_pids(ray), [*_ray_pids(ray), command.process.pid])
        command.stop()
    return measured


def _run(found: Cluster, on: str, start_s: float, workers: list[int], others: list[int]) -> Measured:
    assert len(workers) == WORKERS
    worker_cpu_s, ray_cpu_s, began = _cpu_s(workers), _cpu_s(others), monotonic()
    run_id = found.begin()
    until(lambda: found.leader.get(f"runs/{run_id}")["state"] == "complete", "the run", patience_s=PATIENCE_S)
    seconds = monotonic() - began
    outcomes, different = found.stored(run_id)
    assert outcomes == different
    return Measured(
        on=on,
        start_s=start_s,
        seconds=seconds,
        worker_cpu_s=_cpu_s(workers) - worker_cpu_s,
        ray_cpu_s=_cpu_s(others) - ray_cpu_s,
        worker_mb=statistics.mean(map(_mb, workers)),
    )


def _ratios(rounds: list[Measured]) -> dict[str, float]:
    pairs = [*zip(rounds[::2], rounds[1::2], strict=True)]
    return {
        "seconds_ratio": statistics.median(ray.seconds / processes.seconds for processes, ray in pairs),
        "worker_cpu_ratio": statistics.median(ray.worker_cpu_s / processes.worker_cpu_s for processes, ray in pairs),
    }


def _ray_pids(ray: RayNodes) -> list[int]:
    """Return all processes of the node except the workers of driftd."""
    [group] = [process.pid for process in ray.running.values()]
    return [int(path.name) for path in Path("/proc").glob("[0-9]*") if _group(path) == group]


def _group(path: Path) -> int | None:
    try:
        return int((path / "stat").read_text().rpartition(")")[2].split()[2])
    except OSError:
        return None  # it has ended


def _cpu_s(pids: Iterable[int]) -> float:
    """Return the CPU time of processes and of their children that have ended."""
    fields = [Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in pids]
    return sum(sum(map(int, one[11:15])) for one in fields) / os.sysconf("SC_CLK_TCK")


def _mb(pid: int) -> float:
    """Return the memory of a process, with its share of what it shares."""
    [line] = [line for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() if line.startswith("Pss:")]
    return int(line.split()[1]) / 1024


if __name__ == "__main__":
    sys.exit(main())
