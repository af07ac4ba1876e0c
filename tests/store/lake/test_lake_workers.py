"""Ingest workers as processes: killed and frozen, they store every record of a topic once."""

from pathlib import Path
from random import Random
from time import monotonic, sleep

import pytest
from kafka import KafkaProducer

from monitor.clock import SystemClock
from monitor.store.lake.lake_store import LakeStore
from tests.ingest.kafka.broker import Broker
from tests.kills.kafka_kills import call_record
from tests.kills.lake_processes import freeze, kafka_section, processes, thaw
from tests.kills.process import Daemon
from tests.store.lake.lakes import Lakes

PARTITIONS = 8
PATIENCE_S = 180.0
FROZEN_S = 13.0  # longer than the session timeout of the consumer group


@pytest.mark.timeout(600)
def test_workers_that_are_killed_and_frozen_store_each_record_once(
    tmp_path: Path, lakes: Lakes, broker: Broker
) -> None:
    records, rng = 30_000, Random(23)
    lake, topic = lakes.create(), broker.topic(partitions=PARTITIONS)
    ingest = {"kafka": {"calls": kafka_section(broker, topic)}}
    produce(broker, topic, 0, records // 2)
    with processes(tmp_path, lakes, lake, ["ingest"] * 3, ingest=ingest) as workers:
        for worker in workers:
            worker.start("--role", "ingest")
        store = lakes.open(lake, SystemClock())
        for number in range(4):
            worker = rng.choice(workers)
            sleep(rng.uniform(1.0, 3.0))
            if number == 2:
                freeze(worker)
                produce(broker, topic, records // 2, records)
                sleep(FROZEN_S)
                thaw(worker)
            else:
                worker.kill()
                worker.start("--role", "ingest")
        until_read(store, broker, topic, workers)
        assert counts(store) == (records, records)
        store.close()


def produce(broker: Broker, topic: str, first: int, end: int) -> None:
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap, linger_ms=20, batch_size=256 * 1024)
    for number in range(first, end):
        producer.send(topic, call_record(number), partition=number % PARTITIONS)
    producer.flush(60)
    producer.close()


def until_read(store: LakeStore, broker: Broker, topic: str, workers: list[Daemon]) -> None:
    ends = {partition: broker.end(topic, partition) for partition in range(PARTITIONS)}
    until = monotonic() + PATIENCE_S
    while (found := positions(store, topic)) != ends:
        assert monotonic() < until, f"read to {found} of {ends}\n" + "\n".join(w.log[-1500:] for w in workers)
        assert all(worker.alive for worker in workers), [worker.log[-3000:] for worker in workers]
        sleep(0.5)


def positions(store: LakeStore, topic: str) -> dict[int, int]:
    with store._cursor("read") as cursor:
        rows = cursor.execute(
            'SELECT "partition", next_offset FROM control.main.kafka_offset WHERE topic = ?', [topic]
        ).fetchall()
    return dict(rows)


def counts(store: LakeStore) -> tuple[int, int]:
    """Return the rows and the different ids."""
    with store._cursor("read") as cursor:
        [found] = cursor.execute("SELECT count(*), count(DISTINCT id) FROM lake.main.interaction").fetchall()
    return int(found[0]), int(found[1])
