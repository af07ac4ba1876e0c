"""SIGTERM in the middle of ingest and of a replay."""

import signal
import threading
from datetime import UTC, datetime
from pathlib import Path

import httpx
import pytest

from monitor.app import build
from monitor.clock import SystemClock
from monitor.config.load import load
from monitor.domain.interaction import Interaction
from monitor.ingest.intake import Batch
from tests.kills.file import rows_of, settle
from tests.kills.ingest_kills import judge
from tests.kills.replay_kills import Size, replays
from tests.kills.senders import Senders

pytestmark = pytest.mark.xdist_group("kills")
NEVER = Size(cases=40, concurrency=4, latency_scale=10_000.0)  # an answer takes hours


def test_a_stop_in_the_middle_of_everything_loses_nothing_and_repeats_no_call(tmp_path: Path) -> None:
    """Calls in flight are answered and stored before the daemon leaves: the next start asks the rest, and only it."""
    size = Size()
    with replays(tmp_path, size) as home:
        daemon = home.daemon
        daemon.start()
        daemon.wait_ready()
        home.import_set()
        senders = Senders(daemon.addresses, count=3, names="stop")
        senders.start()
        home.plan()
        home.wait(lambda: home.calls() > 20 and len(senders.acknowledged) > 10, "both are at work")
        assert daemon.stop() == 0
        asked = home.settled_calls()
        assert 20 < asked < size.cases
        assert home.committed() == asked
        daemon.start()
        daemon.wait_ready()
        home.wait(lambda: home.state()["state"] == "complete", "the run comes to its end")
        senders.finish()
        assert home.calls() == home.state()["outcomes"] == size.cases
        assert daemon.stop() == 0
        settle(daemon)
        with rows_of(daemon.file) as rows:
            verdict = judge(rows, senders)
        assert verdict.holds, verdict
        assert "Traceback" not in daemon.log


def test_a_second_signal_ends_a_stop_that_waits_for_a_hanging_target(tmp_path: Path) -> None:
    with replays(tmp_path, NEVER) as home:
        home.daemon.start()
        home.daemon.wait_ready()
        home.import_set()
        home.plan()
        home.wait(lambda: home.calls() == NEVER.concurrency, "every place waits for an answer")
        home.daemon.send_signal()
        home.wait(lambda: "driftd stops" in home.daemon.log, "the stop has begun")
        home.daemon.send_signal(signal.SIGINT)
        assert home.daemon.leave(10) == 1
        assert home.daemon.log.endswith("driftd received a second signal and exits immediately\n")
        assert home.committed() == 0


def test_a_hanging_target_is_given_up_and_what_came_in_is_written_before_that(tmp_path: Path) -> None:
    stop_s = 4.0
    with replays(tmp_path, NEVER) as home:
        config = home.daemon.config
        config.write_text(config.read_text().replace("ingest:\n", "ingest:\n  commit_max_delay_ms: 10000\n"))
        app = build(load(config, {}), clock=SystemClock(), stop_s=stop_s)
        app.start()
        home.import_set()
        home.plan()
        home.wait(lambda: home.calls() == NEVER.concurrency, "every place waits for an answer")
        receipt = app.intake.submit(Batch(interactions=(_interaction(),)))
        stopping = threading.Thread(target=app.stop)
        stopping.start()
        assert receipt.wait(stop_s).accepted == 1
        assert stopping.is_alive()  # the write does not wait for the replay
        stopping.join(60)
        assert not stopping.is_alive()
        with pytest.raises(httpx.ConnectError):
            httpx.get(home.daemon.api)
        assert home.committed() == 0


def _interaction() -> Interaction:
    at = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
    return Interaction(id="i-1", deployment="chat", started_at=at, received_at=at, source="http", convention="native")
