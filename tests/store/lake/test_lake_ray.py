"""Workers on a Ray cluster of two nodes replay the slices of a run. Processes and nodes are killed."""

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from socket import gethostname
from typing import Any

import pytest

from bench.replay_study.endpoint_process import running_endpoint
from bench.replay_study.questions import expected_passes, question, right_answer
from monitor.clock import SystemClock
from tests.kills.lake_processes import processes
from tests.kills.process import DEPLOYMENT, DRIFTD, SET, Daemon
from tests.kills.waiting import until
from tests.store.lake.lakes import Lakes
from tests.store.lake.ray_nodes import RayNodes, running_ray
from tests.store.lake.replay_cluster import CONCURRENCY, Cluster

LATENCY_MS = 60.0
BEFORE = "import math; answer = "  # the endpoint replies with a number


@dataclass(slots=True, kw_only=True)
class Command:
    """`driftd lake ray`, running."""

    process: "subprocess.Popen[str]"
    log: Path

    def started(self, workers: int) -> dict[str, str]:
        """Wait until the workers have started. Return their Ray nodes, by their names in the lake."""
        until(lambda: len(self.seen()) >= workers or self.process.poll() is not None, "the workers have started")
        assert self.process.poll() is None, self.log.read_text()
        return self.seen()

    def seen(self) -> dict[str, str]:
        found = [line.split() for line in self.log.read_text().splitlines() if line.startswith("worker ")]
        return {words[3]: words[-1] for words in found if words[2] == "is"}

    def stop(self) -> dict[str, Any]:
        self.process.send_signal(signal.SIGTERM)
        return self.result()

    def fails(self) -> str:
        """Return the last line of the error."""
        assert self.process.wait(150) == 2, self.log.read_text()
        return self.log.read_text().splitlines()[-1]

    def result(self) -> dict[str, Any]:
        output, _ = self.process.communicate(timeout=90)
        assert self.process.returncode == 0, self.log.read_text()
        return dict(json.loads(output))


@pytest.fixture
def nodes() -> Iterator[RayNodes]:
    with running_ray() as found:
        found.add("first", cpus=2)
        found.add("second", cpus=2)
        yield found


@contextmanager
def sums(
    folder: Path,
    lakes: Lakes,
    *,
    cases: int,
    replay: dict[str, Any] | None = None,
    more_roles: tuple[str, ...] = (),
    latency_ms: float = LATENCY_MS,
) -> Iterator[Cluster]:
    """Yield a leader without workers, whose replies are scored by programs in the sandbox."""
    roles, lake = ["control", *more_roles], lakes.create()
    with running_endpoint() as endpoint:
        model = {"base_url": endpoint.base_url, "model": "mock-model", "concurrency": CONCURRENCY}
        more: dict[str, Any] = {
            "targets": {"model": model},
            "deployments": {DEPLOYMENT: {"target": "model", "sets": [SET], "replay": replay or {}}},
            "sets": {
                SET: {"kind": "frozen", "key_file": "primes.key", "scorers": [{"kind": "code", "prefix": "before"}]}
            },
        }
        with processes(folder, lakes, lake, roles, **more) as daemons:
            store = lakes.open(lake, SystemClock())
            try:
                daemons[0].start("--role", "control")
                daemons[0].wait_ready()
                daemons[0].post("sets", {"name": SET, "cases": [_case(number) for number in range(1, cases + 1)]})
                endpoint.begin(latency_ms)
                yield Cluster(
                    leader=daemons[0],
                    workers=daemons[1:],
                    calls=lambda: endpoint.counts().requests,
                    stop_endpoint=lambda: None,
                    store=store,
                )
            finally:
                store.close()


def _case(number: int) -> dict[str, Any]:
    test = f"assert math.isqrt(answer) > 0 and answer == {right_answer(number)}"
    return {"id": f"case-{number}", "input": question(number), "tests": [test], "variables": {"before": BEFORE}}


@contextmanager
def lake_ray(
    leader: Daemon, nodes: RayNodes, *options: str, workers: int = 2, environment: dict[str, str] | None = None
) -> Iterator[Command]:
    log = leader.folder / "ray.log"
    command = [*DRIFTD, "lake", "ray", "--workers", str(workers), "--address", nodes.address, "--json"]
    with log.open("w") as output:
        process = subprocess.Popen(
            [*command, "--config", str(leader.config), *options],
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=output,
            text=True,
        )
    try:
        yield Command(process=process, log=log)
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def worker_pids(nodes: RayNodes) -> list[int]:
    """Return the processes of this cluster that replay slices."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = Path("/proc", (path / "stat").read_text().rpartition(")")[2].split()[1], "cmdline").read_text()
            if (path / "cmdline").read_text().startswith("ray::SliceWorker") and str(nodes.folder) in parent:
                found.append(int(path.name))
        except OSError:
            continue  # it has ended
    return found


@pytest.mark.timeout(300)
def test_workers_on_two_nodes_replay_each_case_once_and_stop_when_idle(
    tmp_path: Path, lakes: Lakes, nodes: RayNodes
) -> None:
    with sums(tmp_path, lakes, cases=100) as found, lake_ray(found.leader, nodes, "--idle-exit", "30s") as command:
        workers = command.started(2)
        assert len(worker_pids(nodes)) == 2
        assert len(set(workers.values())) == 2
        run_id = found.begin()
        status = [*DRIFTD, "lake", "status", "--json", "--config", str(found.leader.config)]
        shown = json.loads(subprocess.run(status, check=True, capture_output=True).stdout)
        assert {one["process"] for one in shown["processes"] if one["role"] == "work"} == {*workers}
        found.complete(run_id)
        assert found.stored(run_id) == (100, 100)
        assert found.requests(run_id) == (found.calls(), 0) == (100, 0)
        assert found.passed(run_id) == expected_passes(100)
        result = command.result()
        assert (result["workers"], result["restarts"], result["slices_put_back"]) == (2, 0, 0)
        assert result["slices_done"] > 1
        until(lambda: worker_pids(nodes) == [], "the processes of the workers have ended")


@pytest.mark.timeout(300)
def test_a_killed_worker_and_a_removed_node_lose_and_repeat_no_outcome(
    tmp_path: Path, lakes: Lakes, nodes: RayNodes
) -> None:
    with sums(tmp_path, lakes, cases=300) as found, lake_ray(found.leader, nodes) as command:
        command.started(2)
        run_id = found.begin()
        found.at_work(20)
        os.kill(worker_pids(nodes)[0], signal.SIGKILL)
        before = command.started(3)
        found.at_work(20)
        nodes.remove("second")
        run = found.complete(run_id)
        assert (run["cases"], run["stopped_by"]) == (300, None)
        assert found.stored(run_id) == (300, 300)
        found.requests_are_recorded(run_id, kills=3)
        until(lambda: found.left() == (0, 0), "the slices are removed")
        until(lambda: len(command.seen()) > len(before), "Ray has started a worker of the removed node again")
        until(lambda: len(worker_pids(nodes)) == 2, "the other node has both workers")
        assert command.stop()["restarts"] == len(command.seen()) - 2


@pytest.mark.timeout(300)
def test_a_killed_worker_leaves_the_budget_of_a_run_exact(tmp_path: Path, lakes: Lakes, nodes: RayNodes) -> None:
    budget = {"budget": {"requests": 150}}
    with sums(tmp_path, lakes, cases=300, replay=budget) as found, lake_ray(found.leader, nodes) as command:
        command.started(2)
        run_id = found.begin()
        found.at_work(20)
        os.kill(worker_pids(nodes)[0], signal.SIGKILL)
        run = found.complete(run_id, "partial")
        assert run["stopped_by"] == "requests"
        assert found.requests(run_id) == (150, 0)
        assert 150 - CONCURRENCY <= found.calls() <= 150
        outcomes, different = found.stored(run_id)
        assert outcomes == different


@pytest.mark.timeout(300)
def test_sigterm_puts_slices_back_and_another_worker_ends_the_run(
    tmp_path: Path, lakes: Lakes, nodes: RayNodes
) -> None:
    with sums(tmp_path, lakes, cases=300, more_roles=("work",)) as found:
        with lake_ray(found.leader, nodes) as command:
            command.started(2)
            run_id = found.begin()
            found.at_work(40)
            result = command.stop()
        assert result["slices_put_back"] >= 1
        assert worker_pids(nodes) == []
        found.workers[0].start("--role", "work")
        found.complete(run_id)
        assert found.stored(run_id) == (300, 300)
        assert found.requests(run_id) == (found.calls(), 0) == (300, 0)


@pytest.mark.timeout(300)
def test_ray_ends_the_workers_of_a_killed_command(tmp_path: Path, lakes: Lakes, nodes: RayNodes) -> None:
    with sums(tmp_path, lakes, cases=300, more_roles=("work",)) as found:
        with lake_ray(found.leader, nodes) as command:
            command.started(2)
            run_id = found.begin()
            found.at_work(40)
            command.process.kill()
            until(lambda: worker_pids(nodes) == [], "the workers have ended")
        found.workers[0].start("--role", "work")
        found.complete(run_id)
        assert found.stored(run_id) == (300, 300)
        found.requests_are_recorded(run_id, kills=2)


@pytest.mark.timeout(300)
def test_errors_name_the_cluster_or_the_node(tmp_path: Path, lakes: Lakes, nodes: RayNodes) -> None:
    with sums(tmp_path, lakes, cases=1) as found:
        leader = found.leader
        with lake_ray(leader, nodes, "--timeout", "60s", workers=5) as command:
            assert command.fails() == (
                "not all workers have started within 60s: 4 of 5 run with 1 CPUs each; "
                "the cluster has 4 CPUs on 2 nodes, of which 0 are free"
            )
        secret = leader.config.read_text().replace("base_url: ", "base_url: ${ENDPOINT_OF_A_TEST}")
        leader.config.write_text(secret)
        with lake_ray(leader, nodes, environment={"ENDPOINT_OF_A_TEST": ""}) as command:
            message = command.fails()
            assert message.startswith(f"node {gethostname()}: ")
            assert "ENDPOINT_OF_A_TEST" in message
