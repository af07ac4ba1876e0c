"""Send SIGKILL during a replay with a budget: the total number of requests never exceeds it."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random
from time import monotonic, sleep
from typing import Any

import httpx
import pytest

from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.config.policy import to_policy
from monitor.domain.run import Trigger
from monitor.jobs.replay.plan import plan_run
from monitor.store.engine.database import Store
from tests.kills.process import DEPLOYMENT, SET, Daemon
from tests.kills.replay_kills import Replays, Size, replays

pytestmark = [pytest.mark.xdist_group("kills"), pytest.mark.timeout(300)]
REQUESTS = 200
SIZE = Size(cases=400, concurrency=8, latency_scale=0.02)


def killed(home: Replays, rng: Random, kills: int) -> int:
    """Kill a running replay this often, or until it is finished. Return the number of kills."""
    done = 0
    while done < kills and at_work(home, home.calls()):
        sleep(rng.uniform(0.0, 0.25))
        home.daemon.kill()
        done += 1
        home.daemon.start()
        home.daemon.wait_ready()
    return done


def at_work(home: Replays, before: int) -> bool:
    """Return whether the run sends more calls than before; False when it is finished."""
    home.wait(lambda: home.calls() > before or is_over(home), "the run goes on")
    return not is_over(home)


def is_over(home: Replays) -> bool:
    return home.state()["state"] not in ("planned", "running")


def test_six_kills_spend_no_more_than_the_budget_and_the_ledger_lists_every_call(tmp_path: Path) -> None:
    with replays(tmp_path, SIZE, replay={"budget": {"requests": REQUESTS}}) as home:
        home.daemon.start()
        home.daemon.wait_ready()
        home.import_set()
        home.plan()
        kills = killed(home, Random(11), 6)
        home.wait(lambda: is_over(home), "the run comes to its end")
        run, calls = home.state(), home.settled_calls()
        listed, committed = home.listed(), run["outcomes"]
        assert home.daemon.stop() == 0
    assert kills == 6
    assert run["state"] == "partial"
    assert run["stopped_by"] == "requests"
    assert committed <= calls <= listed == REQUESTS
    assert REQUESTS - calls <= 6 * SIZE.concurrency  # a kill counts at most what could have been in flight


class Failing(ThreadingHTTPServer):
    """A model that answers every request with 500 and counts the requests."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Refusal)
        self.lock = threading.Lock()
        self.asked = 0


class _Refusal(BaseHTTPRequestHandler):
    server: Failing

    def do_POST(self) -> None:
        with self.server.lock:
            self.server.asked += 1
        self.rfile.read(int(self.headers["content-length"]))
        self.send_response(500)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def failing_model() -> Iterator[Failing]:
    server = Failing()
    serving = threading.Thread(target=server.serve_forever)
    serving.start()
    try:
        yield server
    finally:
        server.shutdown()
        serving.join()
        server.server_close()


def failing_daemon(folder: Path, model: Failing, replay: dict[str, Any]) -> Daemon:
    return Daemon(folder=folder, model_url=f"http://127.0.0.1:{model.server_port}/v1", replay=replay)


def plan_night(daemon: Daemon) -> str:
    """Plan a run as the schedule does, while the daemon is down. No person waits for it, so an outage postpones it."""
    settings, clock = load(daemon.config, {}), SystemClock()
    store = Store.open(settings.store.path, clock=clock)
    try:
        with store.write() as tx:
            run = plan_run(
                tx,
                deployment=DEPLOYMENT,
                eval_set=to_policy(settings).sets[SET],
                trigger=Trigger.SCHEDULED,
                planned_at=clock.now(),
                now=clock.now(),
            )
    finally:
        store.close()
    assert run is not None
    return run.id


def test_a_failing_target_gets_no_more_requests_than_the_budget_over_three_restarts(tmp_path: Path) -> None:
    replay = {"budget": {"requests": 150}, "retries": 20, "retry_minutes": 0.001}
    with failing_model() as model, failing_daemon(tmp_path, model, replay) as daemon:
        daemon.start()
        daemon.wait_ready()
        cases = [{"id": f"c{n}", "input": f"Is {n} a prime?", "references": ["yes"]} for n in range(100)]
        daemon.post("sets", {"name": SET, "cases": cases})
        assert daemon.stop() == 0
        run_id = plan_night(daemon)
        for start in range(1, 4):
            daemon.start()
            wait_until(lambda: model.asked > 40 * start or ended(daemon, run_id), "calls or the end")  # noqa: B023
            daemon.kill()
        daemon.start()
        wait_until(lambda: ended(daemon, run_id), "the run comes to its end")
        run = daemon.get(f"runs/{run_id}")
        entries = daemon.get("sets/access", set_name=SET)["items"]
        assert daemon.stop() == 0
    assert run["state"] == "failed"
    assert "the requests budget of the run is spent" in run["error"]
    assert 100 < model.asked <= sum(entry["calls"] for entry in entries) <= 150


def ended(daemon: Daemon, run_id: str) -> bool:
    try:
        return bool(daemon.get(f"runs/{run_id}")["state"] == "failed")
    except httpx.HTTPError:
        return False  # it is starting


def wait_until(done: Callable[[], bool], what: str) -> None:
    until = monotonic() + 90.0
    while not done():
        assert monotonic() < until, f"{what}: not within 90 s"
        sleep(0.02)
