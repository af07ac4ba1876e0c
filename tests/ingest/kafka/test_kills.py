"""The whole daemon as a process: killed, stopped by a signal, and with a stopped source."""

from collections.abc import Callable
from pathlib import Path
from time import monotonic, sleep

import pytest

from monitor.cli.checks.kafka import of_daemon
from monitor.cli.checks.line import State
from tests.ingest.build import native
from tests.ingest.kafka.broker import Broker
from tests.ingest.kafka.house import calls
from tests.kills.file import rows_of
from tests.kills.kafka_kills import kafka_kills, read_from
from tests.kills.process import Daemon
from tests.properties import examples

pytestmark = [pytest.mark.xdist_group("kafka"), pytest.mark.timeout(300)]
KILLS = examples(8)
NOBODY = "http://127.0.0.1:9/v1"


def test_each_record_is_stored_once_whenever_the_daemon_is_killed(broker: Broker, tmp_path: Path) -> None:
    verdict = kafka_kills(tmp_path, broker, kills=KILLS, seed=7)
    assert verdict.holds, verdict
    assert verdict.records > 100


def test_a_stop_stores_all_read_records_and_commits_their_end(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(*range(2000)))
    with Daemon(folder=tmp_path, model_url=NOBODY) as daemon:
        read_from(daemon, broker, topic, poll_max_records=100)
        daemon.start()
        daemon.wait_ready()
        wait_until(lambda: broker.group(topic), "it reads")
        assert daemon.stop() == 0
        with rows_of(daemon.file) as rows:
            stored = rows.number("SELECT next_offset FROM kafka_offset")
            assert rows.number("SELECT count(*) FROM interaction") == stored > 0
        assert broker.group(topic) == {(topic, 0): stored}
        assert "Traceback" not in daemon.log


def test_a_stopped_source_is_reported_everywhere_and_the_rest_continues(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, [b"not for driftd"] * 20)
    with Daemon(folder=tmp_path, model_url=NOBODY) as daemon:
        read_from(daemon, broker, topic, max_unreadable=5)
        daemon.start()
        daemon.wait_ready()
        wait_until(lambda: daemon.http.get(f"{daemon.api}/readyz").json()["status"] == "degraded", "it is reported")
        ready = daemon.http.get(f"{daemon.api}/readyz")
        assert (ready.status_code, ready.json()["degraded_components"]) == (200, ["kafka-calls"])
        said = daemon.get("status")["loops"]["kafka-calls"]
        assert said.startswith(f"stopped: Kafka source 'calls' stopped reading topic {topic} partition 0: more than 5")
        wait_until(lambda: metric(daemon, "driftd_kafka_lag") == 20, "what waits is measured")
        assert metric(daemon, "driftd_kafka_stalled") == 1
        wait_until(lambda: daemon.get("alerts")["items"], "an alert opens")
        (alert,) = daemon.get("alerts")["items"]
        assert (alert["source"], alert["deployment"], alert["summary"]) == (
            "kafka-calls",
            "driftd",
            said.removeprefix("stopped: "),
        )
        line = of_daemon("calls", said)
        assert (line.state, line.sentence) == (State.FAIL, said)
        row = native(id="by-http", deployment="chat")
        assert daemon.post("interactions", row)["accepted"] == 1
        assert daemon.log.count("level=error") == 1
        assert daemon.stop() == 0


def test_an_unavailable_broker_is_reported_by_readyz_and_an_alert_until_it_is_back(
    broker: Broker, tmp_path: Path
) -> None:
    if broker.folder is None:
        pytest.skip("the broker that KAFKA_BOOTSTRAP_SERVERS names is not ours to stop")
    topic = broker.topic()
    broker.send(topic, calls(0))
    with Daemon(folder=tmp_path, model_url=NOBODY) as daemon:
        read_from(daemon, broker, topic, unavailable_after_s=2)
        daemon.start()
        daemon.wait_ready()
        wait_until(lambda: broker.group(topic), "it reads")
        assert daemon.http.get(f"{daemon.api}/readyz").json() == {"status": "ok"}
        broker.stop()
        wait_until(lambda: daemon.http.get(f"{daemon.api}/readyz").json()["status"] == "degraded", "it is reported")
        ready = daemon.http.get(f"{daemon.api}/readyz")
        assert (ready.status_code, ready.json()["degraded_components"]) == (200, ["kafka-calls"])
        wait_until(lambda: daemon.get("alerts", state="firing")["items"], "an alert opens")
        (alert,) = daemon.get("alerts", state="firing")["items"]
        assert (alert["source"], alert["severity"]) == ("kafka-calls", "critical")
        assert alert["summary"].startswith(f"Kafka source 'calls': {broker.bootstrap}: ")
        assert f"no broker answers: {broker.bootstrap} Connection refused, for" in alert["summary"]
        assert daemon.post("interactions", native(id="by-http", deployment="chat"))["accepted"] == 1
        broker.start()
        broker.send(topic, calls(1))
        wait_until(lambda: daemon.http.get(f"{daemon.api}/readyz").json() == {"status": "ok"}, "it is back")
        wait_until(lambda: daemon.get("alerts", state="resolved")["items"], "the alert resolves")
        wait_until(lambda: broker.group(topic) == {(topic, 0): 2}, "it reads on")
        assert daemon.stop() == 0


def metric(daemon: Daemon, name: str) -> float:
    lines = daemon.http.get(f"{daemon.api}/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(f"{name}{{"))


def wait_until(done: Callable[[], object], what: str) -> None:
    until = monotonic() + 60
    while not done():
        assert monotonic() < until, f"not within 60 s: {what}"
        sleep(0.05)
