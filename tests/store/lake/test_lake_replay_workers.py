"""Processes of the role `work` replay the slices of a run. They are killed and frozen."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep
from typing import Any

import httpx
import pytest

from monitor.cli.demo.stage import default_data
from monitor.cli.demo.story import as_case
from monitor.clock import SystemClock
from replay.recorded.data import load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.kills.lake_processes import freeze, processes, thaw
from tests.kills.process import DEPLOYMENT, SET
from tests.kills.waiting import until
from tests.store.lake.lakes import Lakes
from tests.store.lake.replay_cluster import CONCURRENCY, Cluster

LATENCY_SCALE = 0.06


@contextmanager
def cluster(
    folder: Path,
    lakes: Lakes,
    *,
    workers: int,
    cases: int,
    replay: dict[str, Any] | None = None,
    target: dict[str, Any] | None = None,
    latency_scale: float = LATENCY_SCALE,
) -> Iterator[Cluster]:
    data, lake = load_recorded(default_data()), lakes.create()
    endpoint = RecordedEndpoint(data, model=data.family, latency_scale=latency_scale)
    model = {"base_url": endpoint.start(), "model": data.family, "concurrency": CONCURRENCY} | (target or {})
    deployment = {"target": "model", "sets": [SET], "replay": replay or {}}
    more: dict[str, Any] = {"targets": {"model": model}, "deployments": {DEPLOYMENT: deployment}}
    roles = ["control"] + ["work"] * workers
    with processes(folder, lakes, lake, roles, **more) as daemons:
        store = lakes.open(lake, SystemClock())
        try:
            for daemon, role in zip(daemons, roles, strict=True):
                daemon.start("--role", role)
            for daemon in daemons:
                daemon.wait_ready()

            def calls() -> int:
                return int(httpx.get(f"{endpoint.address}/_calls").json()["total"])

            found = Cluster(
                leader=daemons[0], workers=daemons[1:], calls=calls, stop_endpoint=endpoint.stop, store=store
            )
            body = {"name": SET, "cases": [as_case(each) for each in data.questions[:cases]]}
            found.leader.post("sets", body)
            yield found
        finally:
            store.close()
            endpoint.stop()


@pytest.mark.timeout(300)
def test_workers_replay_each_case_once_while_they_are_killed_and_frozen(tmp_path: Path, lakes: Lakes) -> None:
    with cluster(tmp_path, lakes, workers=3, cases=300) as found:
        run_id = found.begin()
        found.at_work(20)
        killed, frozen, _ = found.workers
        killed.kill()
        found.at_work(20)
        freeze(frozen)
        sleep(13)  # longer than a lease
        thaw(frozen)
        killed.start("--role", "work")
        run = found.complete(run_id)
        assert run["cases"] == 300
        assert found.stored(run_id) == (300, 300)
        found.requests_are_recorded(run_id, kills=2)
        until(lambda: found.left() == (0, 0), "the slices are removed")
        until(lambda: frozen.alive and frozen.get("status")["loops"]["work"] == "idle", "the thawed worker works again")


@pytest.mark.timeout(300)
def test_workers_keep_the_budget_of_a_run(tmp_path: Path, lakes: Lakes) -> None:
    with cluster(tmp_path, lakes, workers=3, cases=300, replay={"budget": {"requests": 150}}) as found:
        run = found.complete(found.begin(), "partial")
        assert (run["stopped_by"], found.calls()) == ("requests", 150)
        assert found.stored(run["id"]) == (150, 150)
        assert found.requests(run["id"]) == (150, 0)


@pytest.mark.timeout(300)
def test_runs_of_a_day_share_its_budget_with_the_workers(tmp_path: Path, lakes: Lakes) -> None:
    with cluster(tmp_path, lakes, workers=2, cases=60, replay={"daily_budget": {"requests": 100}}) as found:
        assert found.complete(found.begin())["stopped_by"] is None
        run = found.complete(found.begin(), "partial")
        assert (run["stopped_by"], found.calls()) == ("requests of the day", 100)
        again = found.complete(found.begin(), "failed")
        assert "the requests budget of the day is spent" in again["error"]
        assert found.calls() == 100


@pytest.mark.timeout(300)
def test_workers_keep_the_pace_of_the_target_together(tmp_path: Path, lakes: Lakes) -> None:
    target = {"requests_per_minute": 600.0, "concurrency": 12}
    with cluster(tmp_path, lakes, workers=3, cases=300, target=target, latency_scale=0.0) as found:
        run = found.complete(found.begin())
        sql = "SELECT epoch(max(started_at) - min(started_at)), count(*) FROM lake.main.outcome WHERE run_id = ?"
        with found.store._cursor("read") as cursor:
            [(seconds, calls)] = cursor.execute(sql, [run["id"]]).fetchall()
        assert calls == 300
        # 300 requests at 10 in a second; 2 s of them may be sent at once
        assert seconds >= 0.95 * (300 - 20) / 10.0


@pytest.mark.timeout(300)
def test_workers_end_a_cancelled_run(tmp_path: Path, lakes: Lakes) -> None:
    with cluster(tmp_path, lakes, workers=2, cases=300) as found:
        run_id = found.begin()
        found.at_work(20)
        found.workers[0].post(f"runs/{run_id}/cancel", {})
        found.complete(run_id, "cancelled")
        until(lambda: found.left() == (0, 0), "the slices are removed")
        sleep(2)
        calls = found.calls()
        sleep(3)
        assert found.calls() == calls < 300


@pytest.mark.timeout(300)
def test_the_next_leader_continues_the_slices_of_the_earlier_one(tmp_path: Path, lakes: Lakes) -> None:
    with cluster(tmp_path, lakes, workers=2, cases=300) as found:
        run_id = found.begin()
        found.at_work(20)
        found.leader.kill()
        found.leader.start("--role", "control")
        found.leader.wait_ready()
        assert found.complete(run_id)["stopped_by"] is None
        assert found.stored(run_id) == (300, 300)
        assert found.requests(run_id) == (found.calls(), 0) == (300, 0)


@pytest.mark.timeout(300)
def test_the_leader_replays_the_rest_without_a_worker(tmp_path: Path, lakes: Lakes) -> None:
    with cluster(tmp_path, lakes, workers=1, cases=100) as found:
        run_id = found.begin()
        found.at_work(20)
        found.workers[0].kill()
        found.complete(run_id)
        assert found.stored(run_id) == (100, 100)
        found.requests_are_recorded(run_id, kills=1)


@pytest.mark.timeout(300)
def test_an_endpoint_that_is_away_fails_a_run_as_in_one_process(tmp_path: Path, lakes: Lakes) -> None:
    with cluster(tmp_path, lakes, workers=2, cases=60) as found:
        found.stop_endpoint()
        run = found.complete(found.begin(), "failed")
        assert "connection" in run["error"]
        until(lambda: found.left() == (0, 0), "the slices are removed")
