"""A daemon process with a receiver that answers byte by byte and never ends."""

from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest

from monitor.clock import SystemClock
from monitor.domain.finding import Verdict
from monitor.store.engine.database import Store
from monitor.store.findings import findings
from tests.alerting.notify.drip import dripping
from tests.kills.alert_sink import AlertSink
from tests.kills.process import DEPLOYMENT, SET, Daemon
from tests.store.build import finding

pytestmark = pytest.mark.timeout(300)
PATIENCE_S = 90.0
ANSWER_S = 10.0  # of one request of a sender; the receiver would take minutes
CALLS = 20


def write_regression(file: Path) -> None:
    """Write a finding that opens an alert at the next start."""
    now = datetime.now(UTC)
    with closing(Store.open(file, clock=SystemClock())) as store, store.write() as tx:
        findings.insert(
            tx,
            finding(
                "finding-1",
                deployment=DEPLOYMENT,
                set_name=SET,
                verdict=Verdict.REGRESSION,
                severity="critical",
                at=now,
                change_id=None,
            ),
        )


def call(number: int) -> dict[str, Any]:
    at = datetime.now(UTC).isoformat()
    return {"id": f"call-{number}", "deployment": DEPLOYMENT, "started_at": at, "response": {"model": "gpt-4"}}


def test_a_receiver_that_never_ends_its_answer_delays_no_other_receiver_no_sender_and_no_stop(tmp_path: Path) -> None:
    with AlertSink() as sink, dripping() as slow:
        receivers = {
            "slow": {"kind": "webhook", "url": slow, "timeout_s": 60},
            "pager": {"kind": "webhook", "url": f"{sink.address}/pager"},
        }
        alerts = {"group_wait_s": 0, "group_interval_s": 0}
        more = {"receivers": receivers, "alerts": alerts}
        with Daemon(folder=tmp_path, model_url="http://127.0.0.1:9/v1", more=more) as daemon:
            write_regression(daemon.file)
            daemon.start()
            daemon.wait_ready()
            until = monotonic() + PATIENCE_S
            while not sink.deliveries:
                assert monotonic() < until, daemon.log[-3000:]
                sleep(0.1)
            assert sink.deliveries[0].receiver == "pager"
            assert sink.deliveries[0].payload["alerts"][0]["state"] == "firing"
            for number in range(CALLS):
                began = monotonic()
                daemon.post("interactions", [call(number)])
                assert monotonic() - began < ANSWER_S
            assert len(daemon.get("interactions")["items"]) == CALLS
            began = monotonic()
            assert daemon.stop() == 0
            assert monotonic() - began < 50, "the receiver holds its connection for a minute"
            assert "Traceback" not in daemon.log
