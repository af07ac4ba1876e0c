"""A daemon process while the clock of its machine is set back and forward."""

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest

from monitor.cli.demo.stage import default_data
from monitor.cli.demo.story import as_case
from replay.recorded.data import load_recorded
from replay.recorded.endpoint import RecordedEndpoint
from tests.app.faketime import MovedClock
from tests.kills.file import rows_of
from tests.kills.process import DEPLOYMENT, SET, Daemon

pytestmark = pytest.mark.timeout(600)
PATIENCE_S = 150.0
QUIET_S = 65.0  # the loop looks at the clock every minute
CASES = 5


def test_steps_of_the_clock_lose_no_record_and_replay_no_night_twice(tmp_path: Path) -> None:
    clock = MovedClock(tmp_path)
    night = datetime.combine(datetime.now(UTC).date() + timedelta(days=1), time(2), UTC)
    clock.set_to(night - timedelta(minutes=2))
    data = load_recorded(default_data())
    endpoint = RecordedEndpoint(data, model=data.family)
    more = {"schedules": {"nightly": {"cron": "0 2 * * *", "catch_up_h": 1}}}
    url = endpoint.start()
    with Daemon(folder=tmp_path, model_url=url, model=data.family, more=more, environment=clock.environment) as daemon:
        daemon.start()
        daemon.wait_ready()
        cases = [as_case(question) for question in data.questions[:CASES]]
        daemon.post("sets", {"name": SET, "cases": cases})
        sent = send(daemon, 0)

        clock.set_to(night + timedelta(seconds=30))
        wait(daemon, lambda: states(daemon) == ["complete"])
        sent += send(daemon, 1)

        clock.set_to(night - timedelta(hours=2))
        sent += send(daemon, 2)
        sleep(QUIET_S)
        clock.set_to(night + timedelta(minutes=5))
        sent += send(daemon, 3)
        sleep(QUIET_S)
        assert states(daemon) == ["complete"], "the night was replayed already"

        clock.set_to(night + timedelta(days=3, seconds=30))
        wait(daemon, lambda: states(daemon) == ["complete", "complete"])
        sent += send(daemon, 4)
        assert daemon.http.get(f"{daemon.api}/readyz").json()["status"] == "ok"
        assert daemon.stop() == 0

        clock.set_to(night)  # a start before the newest row
        daemon.start()
        daemon.wait_ready()
        sent += send(daemon, 5)
        assert len(daemon.get("interactions", limit="500")["items"]) == len(sent)
        assert daemon.stop() == 0
        assert "Traceback" not in daemon.log
        with rows_of(daemon.file) as rows:
            assert sorted(row[0] for row in rows.all("SELECT id FROM interaction")) == sorted(sent)
            assert rows.number("SELECT count(*) FROM outcome WHERE latency_ms < 0") == 0
    endpoint.stop()


def send(daemon: Daemon, turn: int) -> list[str]:
    """Send ten calls, and return the ids that were acknowledged."""
    ids = [f"call-{turn}-{number}" for number in range(10)]
    at = datetime.now(UTC).isoformat()
    rows = [{"id": id_, "deployment": DEPLOYMENT, "started_at": at, "response": {"model": "gpt-4"}} for id_ in ids]
    daemon.post("interactions", rows)
    return ids


def states(daemon: Daemon) -> list[str]:
    return [run["state"] for run in daemon.get("runs")["items"]]


def wait(daemon: Daemon, done: Callable[[], bool]) -> None:
    until = monotonic() + PATIENCE_S
    while not done():
        assert monotonic() < until, daemon.log[-3000:]
        sleep(0.2)
