"""Two processes with one lake: one runs the loops. It is killed and frozen, and the other takes over."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from monitor.cli.demo.stage import default_data
from monitor.cli.demo.story import as_case
from monitor.clock import SystemClock
from monitor.store.lake.lake_store import LakeStore
from replay.recorded.data import load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.kills.lake_processes import STANDBY, freeze, is_leading, processes, thaw
from tests.kills.process import DEPLOYMENT, SET, Daemon
from tests.kills.waiting import until
from tests.store.lake.lakes import Lakes

CASES = 100
TAKEOVER_S = 15.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two processes with the role `all`, the endpoint that they ask, and a store to look at the result."""

    daemons: list[Daemon]
    endpoint: RecordedEndpoint
    store: LakeStore

    def leader(self) -> Daemon:
        """Wait for a process that runs the loops, and return it."""
        found: list[Daemon] = []

        def one_leads() -> bool:
            found[:] = [one for one in self.daemons if one.alive and leads(one)]
            return len(found) == 1

        until(one_leads, "one process leads")
        return found[0]

    def other(self, daemon: Daemon) -> Daemon:
        return next(one for one in self.daemons if one is not daemon)

    def calls(self) -> int:
        return int(httpx.get(f"{self.endpoint.address}/_calls").json()["total"])

    def run(self, through: Daemon) -> str:
        """Plan a run, and return its id when it is at work."""
        before = self.calls()
        run_id = str(through.post("runs", {"deployment": DEPLOYMENT, "set_name": SET})["id"])
        until(lambda: self.calls() > before + 10, "the run is at work")
        return run_id

    def verdicts(self, run_id: str) -> tuple[int, int, int]:
        """Return the outcomes of a run, the different samples among them, and the verdicts."""
        with self.store._cursor("read") as cursor:
            [(rows, samples)] = cursor.execute(
                "SELECT count(*), count(DISTINCT (case_id, sample)) FROM lake.main.outcome WHERE run_id = ?", [run_id]
            ).fetchall()
            [(findings,)] = cursor.execute(
                "SELECT count(*) FROM control.main.finding WHERE candidate_run = ?", [run_id]
            ).fetchall()
        return int(rows), int(samples), int(findings)


def leads(daemon: Daemon) -> bool:
    try:
        return is_leading(daemon.http.get(f"{daemon.api}/api/v1/status", timeout=2).json())
    except httpx.HTTPError:
        return False


@contextmanager
def pair(folder: Path, lakes: Lakes) -> Iterator[Pair]:
    data, lake = load_recorded(default_data()), lakes.create()
    endpoint = RecordedEndpoint(data, model=data.family, latency_scale=0.06)
    with processes(folder, lakes, lake, ["all", "all"], model_url=endpoint.start()) as daemons:
        store = lakes.open(lake, SystemClock())
        try:
            for daemon in daemons:
                daemon.start()
            for daemon in daemons:
                daemon.wait_ready()
            yield Pair(daemons=daemons, endpoint=endpoint, store=store)
        finally:
            store.close()
            endpoint.stop()


@pytest.mark.timeout(400)
def test_the_other_process_takes_over_and_each_sample_is_stored_once(tmp_path: Path, lakes: Lakes) -> None:
    cases = [as_case(question) for question in load_recorded(default_data()).questions[:CASES]]
    with pair(tmp_path, lakes) as both:
        first = both.leader()
        standby = both.other(first)
        standby.post("sets", {"name": SET, "cases": cases})

        run_id = both.run(standby)
        first.kill()
        assert until(lambda: leads(standby), "the other process leads") < TAKEOVER_S
        until(lambda: standby.get(f"runs/{run_id}")["state"] == "complete", "the run is complete")
        assert both.verdicts(run_id)[:2] == (CASES, CASES)

        first.start()
        first.wait_ready()
        assert both.leader() is standby
        run_id = both.run(first)
        freeze(standby)
        assert until(lambda: leads(first), "the other process leads") < TAKEOVER_S
        until(lambda: first.get(f"runs/{run_id}")["state"] == "complete", "the run is complete")
        thaw(standby)
        until(
            lambda: standby.get("status")["loops"]["schedule"].startswith(STANDBY), "the thawed process is in standby"
        )
        until(lambda: both.verdicts(run_id)[2] == 1, "the run has a verdict")
        assert both.verdicts(run_id) == (CASES, CASES, 1)
        assert standby.alive
        assert both.leader() is first
