"""Several readers of one consumer group share the partitions of a topic, and store each record once in a lake."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass

from monitor.clock import SystemClock
from monitor.errors import Retryable
from monitor.ingest.intake import Intake
from monitor.ingest.kafka.source import KafkaSource
from monitor.ingest.writer import Writer
from monitor.store.lake.lake_store import LakeStore
from monitor.store.traffic import interactions, source_positions
from monitor.store.traffic.source_positions import OffsetMove
from tests.ingest.kafka.broker import Broker
from tests.ingest.kafka.house import LIMITS, calls, section
from tests.ingest.pipeline import normalizer
from tests.store.build import interaction
from tests.store.lake.lakes import Lakes

PATIENCE_S = 60.0
PARTITIONS = 6


@dataclass
class Worker:
    """A source with a store and a writer of its own, as in a process. `frozen` stops the steps of its source."""

    store: LakeStore
    source: KafkaSource
    clock: SystemClock
    frozen: threading.Event
    refused: int = 0  # steps that must be repeated

    @property
    def partitions(self) -> set[int]:
        """Return the partitions that it reads."""
        return set() if self.source._place.cluster is None else {p.number for p in self.source._place.stored_to}


@contextmanager
def working(lakes: Lakes, lake: str, broker: Broker, topic: str) -> Iterator[Worker]:
    clock, intake, ended = SystemClock(), Intake(5_000), threading.Event()
    with ExitStack() as stack:
        store = lakes.open(lake, clock)
        stack.callback(store.close)
        writer = Writer(store, intake, clock, max_delay_s=0.0)
        of = section(broker, topic, group=f"group-{topic}", poll_max_records=50)
        source = KafkaSource(
            "calls", of, store=store, intake=intake, normalizer=normalizer(), clock=clock, limits=LIMITS
        )
        worker = Worker(store=store, source=source, clock=clock, frozen=threading.Event())

        def read() -> None:
            while not ended.is_set():
                if worker.frozen.is_set():
                    time.sleep(0.05)
                    continue
                try:
                    source.step()
                except Retryable as error:
                    worker.refused += "computes its read positions again" in str(error)
                    time.sleep(0.05)

        reading, writing = threading.Thread(target=read), threading.Thread(target=writer.run, args=(ended,))
        for thread in (reading, writing):
            thread.start()
        try:
            yield worker
        finally:
            ended.set()
            for thread in (reading, writing):
                thread.join(30)
            source.close()


def until(done: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < deadline, f"not within {PATIENCE_S:.0f} s: {what}"
        time.sleep(0.1)


def rows(store: LakeStore) -> int:
    with store.read() as tx:
        return interactions.count(tx)


def positions(worker: Worker) -> dict[int, int]:
    cluster = worker.source._place.cluster
    assert cluster is not None
    with worker.store.read() as tx:
        return {o.partition: o.next_offset for o in source_positions.of_cluster(tx, cluster.id)}


def send(broker: Broker, topic: str, first: int, count: int) -> None:
    for partition in range(PARTITIONS):
        broker.send(topic, calls(*range(first + partition, first + count, PARTITIONS)), partition)


def test_workers_share_partitions_and_store_each_record_once(lakes: Lakes, broker: Broker) -> None:
    lake, topic = lakes.create(), broker.topic(partitions=PARTITIONS)
    send(broker, topic, 0, 300)
    with working(lakes, lake, broker, topic) as one:
        until(lambda: rows(one.store) == 300, "the first worker stores all")
        assert one.partitions == set(range(PARTITIONS))
        with working(lakes, lake, broker, topic) as other:
            until(lambda: len(one.partitions) == len(other.partitions) == PARTITIONS // 2, "the partitions are shared")
            assert one.partitions | other.partitions == set(range(PARTITIONS))
            send(broker, topic, 300, 600)
            until(lambda: rows(one.store) == 900, "both store the rest")
        until(lambda: one.partitions == set(range(PARTITIONS)), "the first worker takes the partitions back")
        send(broker, topic, 900, 60)
        until(lambda: rows(one.store) == 960, "it stores what came after that")
        until(
            lambda: positions(one) == {partition: broker.end(topic, partition) for partition in range(PARTITIONS)},
            "the positions are the ends of the topic",
        )
        assert one.source.state == "reading"
        until(
            lambda: broker.group(f"group-{topic}") == {(topic, n): end for n, end in positions(one).items()},
            "the group has the offsets, for other tools",
        )


def test_a_worker_that_was_overtaken_continues_after_the_rows_of_the_other(lakes: Lakes, broker: Broker) -> None:
    lake, topic = lakes.create(), broker.topic(partitions=PARTITIONS)
    send(broker, topic, 0, 60)
    with working(lakes, lake, broker, topic) as worker:
        until(lambda: rows(worker.store) == 60, "the worker stores all")
        worker.frozen.set()
        time.sleep(0.5)
        broker.send(topic, calls(*range(60, 70)), 0)
        overtake(lakes, lake, worker, first=60, count=10)
        worker.frozen.clear()
        send(broker, topic, 70, 60)
        until(lambda: rows(worker.store) == 130, "the worker continues")
        until(lambda: positions(worker)[0] == broker.end(topic, 0), "its position is the end of the partition")
        assert worker.source.condition.stopped is None
        assert worker.refused >= 1


def overtake(lakes: Lakes, lake: str, worker: Worker, *, first: int, count: int) -> None:
    """Store records of partition 0, as another process does."""
    cluster = worker.source._place.cluster
    assert cluster is not None
    [partition] = [p for p in cluster.partitions if p.number == 0]
    before = positions(worker)[0]
    move = OffsetMove(
        cluster_id=cluster.id,
        topic_id=partition.topic_id,
        topic=partition.topic,
        partition=0,
        before=before,
        after=before + count,
        at=worker.clock.now(),
    )
    with closing(lakes.open(lake, worker.clock)) as store, store.write() as tx:
        interactions.insert(tx, [interaction(f"call-{number:06}") for number in range(first, first + count)])
        source_positions.move(tx, [move])
