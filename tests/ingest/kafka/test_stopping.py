"""When a source stops: lost records, unreadable records, another reader; and when it waits."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from monitor.errors import StoreUnavailable
from monitor.ingest.intake import Batch, Intake
from monitor.ingest.writer import Writer
from monitor.store.engine.database import Store, Tx
from monitor.store.traffic import source_positions as kafka_offsets
from monitor.store.traffic.source_positions import OffsetMove
from tests.ingest.build import NOW
from tests.ingest.kafka.broker import Broker
from tests.ingest.kafka.house import Reading, call, calls, reading, section, source
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline

pytestmark = pytest.mark.xdist_group("kafka")


def test_retention_beyond_the_offset_stops_the_source_and_names_the_lost_records(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0, 1, 2))
    with reading(tmp_path, section(broker, topic)) as first:
        first.until_rows(3)
    broker.send(topic, calls(*range(3, 10)))
    broker.forget(topic, before=7)
    with reading(tmp_path, section(broker, topic)) as stopped:
        said = stopped.until_stopped()
        assert f"topic {topic} partition 0 was read up to offset 3" in said
        assert "the oldest record of the broker is at 7: offsets 3 to 6, 4 records, were removed unread" in said
        assert "set ingest.kafka.calls.on_data_loss to skip and restart driftd" in said
        assert stopped.source.state == f"stopped: {said}"
        stopped.until(
            lambda: sum(lag.records for lag in stopped.source.condition.lags.lags) == 7, "what waits is still measured"
        )
        assert len(stopped.ids()) == 3


def test_with_skip_the_source_continues_after_lost_records_and_a_dead_letter_names_them(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0, 1, 2))
    with reading(tmp_path, section(broker, topic)) as first:
        first.until_rows(3)
    broker.send(topic, calls(*range(3, 10)))
    broker.forget(topic, before=7)
    with reading(tmp_path, section(broker, topic, on_data_loss="skip")) as again:
        again.until_rows(6)
        assert again.ids()[3:] == ["call-000007", "call-000008", "call-000009"]
        (letter,) = again.pipeline.letters()
        assert (letter.source, letter.code) == ("kafka", "lost")
        assert "offsets 3 to 6, 4 records, were removed unread" in letter.reason


def test_retention_beyond_the_offset_of_a_running_source_stops_it(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(*range(50)))
    with reading(tmp_path, section(broker, topic, poll_max_records=10)) as got:
        got.until(lambda: got.stored_to(topic) is not None, "it has begun")
        blocked, release = threading.Event(), threading.Event()
        with ThreadPoolExecutor(1) as pool:
            holder = pool.submit(hold_the_writer, got, blocked, release)
            blocked.wait(10)
            got.source._disconnect()  # fetched records are gone after a reconnect
            broker.send(topic, calls(*range(50, 60)))
            broker.forget(topic, before=55)
            release.set()
            holder.result(10)
        said = got.until_stopped()
        assert "the oldest record of the broker is at 55" in said


def hold_the_writer(got: Reading, blocked: threading.Event, release: threading.Event) -> None:
    with got.pipeline.store.write():
        blocked.set()
        release.wait(20)


def test_an_unreadable_record_is_a_dead_letter_with_its_offset_and_the_rest_is_stored(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic()
    broker.send(topic, [call(0), b"\xff\x00 no JSON", call(1), b"x" * (1024 * 1024 - 200)])
    with reading(tmp_path, section(broker, topic)) as got:
        got.until(lambda: got.stored_to(topic) == 4, "all is read")
        assert got.ids() == ["call-000000", "call-000001"]
        letters = {letter.reason.split(":")[0]: letter for letter in got.pipeline.letters()}
        assert letters.keys() == {f"topic {topic} partition 0 offset {n}" for n in (1, 3)}
        assert letters[f"topic {topic} partition 0 offset 1"].raw == b"\xff\x00 no JSON"


def test_the_same_bytes_at_two_offsets_are_two_dead_letters(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, [b"nothing", b"nothing"])
    with reading(tmp_path, section(broker, topic)) as got:
        got.until(lambda: got.stored_to(topic) == 2, "both are read")
        assert len(got.pipeline.letters()) == 2


def test_more_unreadable_records_than_the_limit_stop_the_partition_and_are_dead_letters(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0))
    with reading(tmp_path, section(broker, topic, max_unreadable=5)) as got:
        got.until_rows(1)
        broker.send(topic, [b"not for driftd"] * 20)
        said = got.until_stopped()
        assert f"stopped reading topic {topic} partition 0: more than 5 of its last 1000 records cannot be read" in said
        assert f"Correct ingest.kafka.calls.topics.{topic}, or raise ingest.kafka.calls.max_unreadable" in said
        got.until(lambda: len(got.pipeline.letters()) == 6, "the records that it stopped at are dead letters")
        assert f"it resumes at offset {got.stored_to(topic)}" in said
        assert got.stored_to(topic) <= 6  # type: ignore[operator]  # the seventh was not passed over
    with reading(tmp_path, section(broker, topic, max_unreadable=20)) as raised:
        raised.until(lambda: raised.stored_to(topic) == 21, "a higher limit lets them pass")
        assert len(raised.pipeline.letters()) == 20


def test_unreadable_records_stop_only_their_partition_and_the_poll_is_read_again(
    broker: Broker, tmp_path: Path
) -> None:
    """A wrong format is corrected after the stop. No record that it hid may be skipped by then."""
    topic = broker.topic(partitions=2)
    good = [call(n) for n in range(3)]
    broker.send(topic, [*good, *[b"not for driftd"] * 3], partition=0)
    with reading(tmp_path, section(broker, topic, max_unreadable=2)) as got:
        got.until(lambda: len(got.pipeline.letters()) == 3, "the poison is kept")
        broker.send(topic, calls(10, 11), partition=1)
        got.until(lambda: got.stored_to(topic, 1) == 2, "the other partition is read on")
        assert got.ids() == ["call-000010", "call-000011"]
        assert got.stored_to(topic, 0) == 0
        assert got.source.state.startswith("reading all but 1 of 2 partitions: Kafka source 'calls' stopped reading")
        assert f"topic {topic} partition 0" in (got.source.trouble() or "")
        assert got.source.stalled_value().value == 1
        broker.send(topic, calls(3), partition=0)
        broker.send(topic, calls(12), partition=1)
        got.until(lambda: got.stored_to(topic, 1) == 3, "and goes on")
        lags = got.source.condition.lags
        got.until(lambda: {lag.records for lag in lags.lags} == {0, 7}, "what waits behind the poison is measured")
    with reading(tmp_path, section(broker, topic, max_unreadable=3)) as again:
        again.until(lambda: again.stored_to(topic, 0) == 7, "all is read")
        assert again.ids() == [f"call-{n:06}" for n in (0, 1, 2, 3, 10, 11, 12)]
        assert len(again.pipeline.letters()) == 3


def test_a_stopped_partition_stays_stopped_while_the_intake_is_full(broker: Broker, tmp_path: Path) -> None:
    """Pausing for lack of credit and resuming must not resume a stopped partition."""
    topic = broker.topic(partitions=2)
    broker.send(topic, [b"not for driftd"] * 3, partition=0)
    with reading(tmp_path, section(broker, topic, max_unreadable=2, poll_max_records=10), max_rows=40) as got:
        got.until(lambda: len(got.pipeline.letters()) == 3, "it is stopped")
        broker.send(topic, calls(*range(200)), partition=1)
        broker.send(topic, calls(500), partition=0)
        got.until(lambda: got.stored_to(topic, 1) == 200, "the other is read")
        assert got.stored_to(topic, 0) == 0
        assert len(got.pipeline.letters()) == 3


def test_with_stop_scope_source_no_other_partition_is_read_and_the_dead_letters_are_stored(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic(partitions=2)
    broker.send(topic, [b"not for driftd"] * 3, partition=0)
    with reading(tmp_path, section(broker, topic, max_unreadable=2, stop_scope="source")) as got:
        got.until_stopped()
        got.until(lambda: len(got.pipeline.letters()) == 3, "the poison is kept")
        broker.send(topic, calls(10), partition=1)
        lags = got.source.condition.lags
        got.until(lambda: sum(lag.records for lag in lags.lags) == 4, "what waits is measured")
        assert got.ids() == []


def test_a_loss_stops_only_its_partition(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic(partitions=2)
    broker.send(topic, calls(0, 1), partition=0)
    broker.send(topic, calls(10), partition=1)
    with reading(tmp_path, section(broker, topic)) as first:
        first.until_rows(3)
    broker.send(topic, calls(2, 3), partition=0)
    broker.forget(topic, before=3)
    broker.send(topic, calls(11), partition=1)
    with reading(tmp_path, section(broker, topic)) as again:
        again.until(lambda: again.stored_to(topic, 1) == 2, "the other partition is read on")
        assert "offsets 2 to 2, 1 records, were removed unread" in again.source.state
        assert again.source.state.startswith("reading all but 1 of 2 partitions")
        assert again.stored_to(topic, 0) == 2


def test_a_topic_created_again_is_read_although_the_old_one_was_stopped(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, [b"not for driftd"] * 3)
    with reading(tmp_path, section(broker, topic, max_unreadable=2)) as got:
        got.until_stopped()
        broker.delete(topic)
        got.until(lambda: "does not exist" in got.source.state, "its end is seen")
        broker.make(topic)
        broker.send(topic, calls(1))
        got.until_rows(1)
        assert got.source.trouble() is None


def test_another_reader_of_the_topic_stops_the_source(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0))
    with reading(tmp_path, section(broker, topic)) as got:
        got.until_rows(1)
        with got.pipeline.store.read() as tx:
            cluster = got.source._place.cluster
            assert cluster is not None
            (stored,) = kafka_offsets.of_cluster(tx, cluster.id)
        move = OffsetMove(
            cluster_id=cluster.id, topic_id=stored.topic_id, topic=topic, partition=0, before=1, after=5, at=NOW
        )
        got.pipeline.intake.submit(Batch(offsets=(move,))).wait(10)
        broker.send(topic, calls(1))
        said = got.until_stopped()
        assert "let only one source read it" in said
        assert got.ids() == ["call-000000"]


def test_a_backlog_uses_a_quarter_of_the_intake_and_keeps_its_position_while_it_waits(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic(partitions=2)
    broker.send(topic, calls(*range(300)))
    broker.send(topic, calls(*range(300, 400)), partition=1)
    with reading(tmp_path, section(broker, topic, poll_max_records=10), max_rows=200) as got:
        got.until(lambda: got.stored_to(topic) is not None, "it has begun")
        blocked, release = threading.Event(), threading.Event()
        with ThreadPoolExecutor(1) as pool:
            holder = pool.submit(hold_the_writer, got, blocked, release)
            blocked.wait(10)
            got.until(lambda: got.source._backlog.room == 0, "it is out of credit")
            for _ in range(20):
                got.try_step()
            assert 40 <= got.pipeline.intake.rows <= 50  # offsets count as rows
            assert got.failure == ""
            release.set()
            holder.result(10)
        got.until(lambda: got.stored_to(topic) == 300 and got.stored_to(topic, 1) == 100, "all is read")
        assert got.ids() == [f"call-{n:06}" for n in range(400)]


class RefusesOnce:
    """The store with one failing write, like a disk that is full for a moment."""

    def __init__(self, store: Store, *, write: int) -> None:
        self._store, self._refused = store, write
        self.writes = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    @contextmanager
    def append(self) -> Iterator[Tx]:
        self.writes += 1
        if self.writes == self._refused:
            raise StoreUnavailable("the disk is full")
        with self._store.append() as tx:
            yield tx


def test_a_batch_rejected_by_the_store_is_read_again_before_later_ones_are_stored(
    broker: Broker, tmp_path: Path
) -> None:
    """The batch after it could be written. It is rejected, because otherwise the missing records would never be read
    again.
    """
    topic = broker.topic()
    broker.send(topic, calls(*range(60)))
    with ingest_pipeline(tmp_path) as pipeline, ThreadPoolExecutor(1) as pool:
        flaky, intake, stop = RefusesOnce(pipeline.store, write=3), Intake(200), threading.Event()
        writer = Writer(cast("Store", flaky), intake, pipeline.clock, max_batch_rows=1, max_delay_s=0.0)
        running = pool.submit(writer.run, stop)
        own = IngestPipeline(store=pipeline.store, intake=intake, writer=writer, normalizer=pipeline.normalizer)
        got = Reading(pipeline=own, source=source(own, section(broker, topic, poll_max_records=10)))
        got.until(lambda: "the disk is full" in got.failure, "the failure is seen")
        got.until_rows(60)
        assert got.ids() == [f"call-{n:06}" for n in range(60)]
        assert got.stored_to(topic) == 60
        stop.set()
        intake.close()
        running.result(10)
        got.source.close()
