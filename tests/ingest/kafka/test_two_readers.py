"""Two daemons in one group at a real broker: one reads, and the other reports why it does not."""

import logging
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import pytest
from kafka import KafkaConsumer, TopicPartition
from kafka.structs import OffsetAndMetadata

from monitor.config.kafka import KafkaConfig
from monitor.ingest.kafka.group_claim import read_claim
from tests.ingest.kafka.broker import Broker
from tests.ingest.kafka.house import Reading, calls, reading, section, source
from tests.ingest.kafka.test_kills import NOBODY, wait_until
from tests.ingest.pipeline import ingest_pipeline
from tests.kills.file import rows_of
from tests.kills.kafka_kills import read_from
from tests.kills.process import Daemon

pytestmark = [pytest.mark.xdist_group("kafka"), pytest.mark.timeout(300)]


@contextmanager
def never_closed(folder: Path, of: KafkaConfig) -> Iterator[Reading]:
    """A killed process, which does not leave the group."""
    with ingest_pipeline(folder) as pipeline:
        made = Reading(pipeline=pipeline, source=source(pipeline, of))
        try:
            yield made
        finally:
            made.source._disconnect()


def test_the_second_reader_of_a_group_waits_until_the_first_has_ended(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic(partitions=2)
    broker.send(topic, calls(0, 1))
    of = section(broker, topic, group=f"of-{topic}")
    with reading(tmp_path / "two", of) as two:
        with reading(tmp_path / "one", of) as one:
            one.until_rows(2)
            two.until(lambda: one.source.step() >= 0 and two.source.trouble() is not None, "the second reports why")
            said = two.source.trouble() or ""
            assert said == two.failure
            assert said.startswith(f"Kafka source 'calls' does not read: driftd on {socket.gethostname()}, started ")
            assert f"reads topic {topic} partition 0 (and 1 more partitions) in group 'of-{topic}'" in said
            assert "both would store every record" in said
            assert "set ingest.kafka.calls.group to another name here" in said
            assert (two.ids(), two.source.state) == ([], "connecting")
            broker.send(topic, calls(2))
            one.until_rows(3)
            assert one.source.trouble() is None
        two.until_rows(3)
        assert two.source.trouble() is None


def test_a_copy_of_the_database_is_detected_and_the_first_reader_continues(
    broker: Broker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The copy has the same id as a daemon that restarts. Its commits to the group reveal it."""
    topic = broker.topic()
    broker.send(topic, calls(0))
    of = section(broker, topic, group=f"of-{topic}")
    with reading(tmp_path / "one", of) as one:
        one.until_rows(1)
    shutil.copytree(tmp_path / "one", tmp_path / "two")
    with reading(tmp_path / "one", of) as one, reading(tmp_path / "two", of) as two:
        one.until(lambda: one.source.state == "reading", "the first reads")
        two.until(lambda: one.source.step() >= 0 and two.source.trouble() is not None, "the second gives way")
        assert "both would store every record" in two.failure
        broker.send(topic, calls(1, 2))
        one.until_rows(3)
        for _ in range(10):
            two.try_step()
        assert two.ids() == ["call-000000"]
        assert one.source.trouble() is None
    warned = [r.getMessage() for r in caplog.records if "commits offsets of group" in r.getMessage()]
    assert len(warned) <= 1  # the first one notices it only if the second commits last


def test_after_a_kill_another_database_waits_and_the_same_database_reads_at_once(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0))
    of = section(broker, topic, group=f"of-{topic}", refresh_s=2.0)
    with never_closed(tmp_path / "one", of) as killed:
        killed.until_rows(1)
        killed.until(lambda: bool(broker.group(f"of-{topic}")), "it has left its claim")
    with never_closed(tmp_path / "one", of) as same:
        same.until(lambda: same.source.state == "reading", "it reads")
        assert same.failure == ""
        same.until(lambda: broker.group(f"of-{topic}") == {(topic, 0): 1}, "it has left its claim")
    began = monotonic()
    with reading(tmp_path / "two", of) as other:
        other.try_step()
        assert "waits up to 7 s to check whether driftd on" in other.failure
        assert other.source.trouble() is None
        other.until_rows(1)
        assert monotonic() - began > 6.0


def test_with_two_groups_both_readers_store_everything(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0))
    with (
        reading(tmp_path / "one", section(broker, topic, group=f"one-{topic}")) as one,
        reading(tmp_path / "two", section(broker, topic, group=f"two-{topic}")) as two,
    ):
        one.until_rows(1)
        two.until_rows(1)
        assert one.failure == two.failure == ""


def test_one_group_may_read_different_topics_in_two_daemons(broker: Broker, tmp_path: Path) -> None:
    first, second = broker.topic(), broker.topic()
    broker.send(first, calls(0))
    broker.send(second, calls(1))
    with (
        reading(tmp_path / "one", section(broker, first, group=f"of-{first}")) as one,
        reading(tmp_path / "two", section(broker, second, group=f"of-{first}")) as two,
    ):
        one.until_rows(1)
        two.until_rows(1)
        for _ in range(4):
            one.source.step()
            two.source.step()
        assert (one.ids(), two.ids()) == (["call-000000"], ["call-000001"])


def test_another_program_that_commits_offsets_of_the_group_is_named_once(
    broker: Broker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0))
    group = f"of-{topic}"
    with reading(tmp_path, section(broker, topic, group=group)) as got:
        got.until_rows(1)
        got.until(lambda: broker.group(group) == {(topic, 0): 1}, "the group knows")
        broker.admin.alter_group_offsets(group, {TopicPartition(topic, 0): OffsetAndMetadata(0, "", None)})
        got.until(lambda: broker.group(group) == {(topic, 0): 1}, "driftd commits again")
        for _ in range(5):
            got.source.step()
        assert got.source.trouble() is None
    said = [r.getMessage() for r in caplog.records if "another program commits offsets" in r.getMessage()]
    assert len(said) == 1
    assert f"of group '{group}' too" in said[0]


def test_a_group_member_is_named_and_does_not_stop_the_source(
    broker: Broker, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A group with members rejects offsets of others."""
    topic = broker.topic()
    broker.send(topic, calls(0))
    member = KafkaConsumer(topic, bootstrap_servers=broker.bootstrap, group_id=f"of-{topic}")
    try:
        while not member.assignment():
            member.poll(timeout_ms=100)
        with reading(tmp_path, section(broker, topic, group=f"of-{topic}")) as got:
            got.until_rows(1)
            for _ in range(5):
                got.source.step()
    finally:
        member.close(autocommit=False)
    said = [r.getMessage() for r in caplog.records if r.levelno == logging.WARNING and "can be committed" in r.message]
    assert len(said) == 1
    assert "another program is a member of it; give driftd its own group. Reading continues" in said[0]


def test_of_two_daemons_with_one_group_one_reads_and_the_other_opens_an_alert(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(*range(50)))
    with (
        Daemon(folder=tmp_path / "one", model_url=NOBODY) as one,
        Daemon(folder=tmp_path / "two", model_url=NOBODY) as two,
    ):
        for daemon in (one, two):
            read_from(daemon, broker, topic)
        one.start()
        one.wait_ready()
        wait_until(lambda: broker.group(topic) == {(topic, 0): 50}, "the first reads")
        two.start()
        two.wait_ready()
        wait_until(lambda: two.get("alerts")["items"], "an alert opens")
        (alert,) = two.get("alerts")["items"]
        assert (alert["source"], alert["severity"]) == ("kafka-calls", "critical")
        assert "both would store every record" in alert["summary"]
        assert two.http.get(f"{two.api}/readyz").json() == {
            "status": "degraded",
            "degraded_components": ["kafka-calls"],
        }
        assert two.get("status")["loops"]["kafka-calls"] == f"retrying: {alert['summary']}"
        assert one.http.get(f"{one.api}/readyz").json() == {"status": "ok"}
        assert one.stop() == 0
        wait_until(lambda: two.http.get(f"{two.api}/readyz").json()["status"] == "ok", "the second reads")
        wait_until(lambda: two.get("alerts", state="resolved")["items"], "its alert resolves")
        wait_until(lambda: broker.group(topic) == {(topic, 0): 50}, "it has read all")
        assert two.stop() == 0
        with rows_of(two.file) as rows:
            assert rows.number("SELECT count(*) FROM interaction") == 50
        (offset,) = broker.admin.list_group_offsets([topic])[topic].values()
        claim = read_claim(offset.metadata)
        assert claim is not None
        assert claim.left
