"""Kills and freezes the processes that read Kafka into one lake, restarts the broker and PostgreSQL, and verifies the
rows.

`PYTHONPATH=.venv/duckdb-1.5.5 python bench/lake_ingest_kills.py --records 1000000 --kills 20 --freezes 5`

The broker, PostgreSQL and all processes are on this machine. Exit code 1 when a record is missing or stored twice, when
a read position is not at the end of its partition, or when maintenance leaves a file that the catalog does not know.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from random import Random
from threading import Thread
from time import monotonic, sleep
from typing import Final

import duckdb
from kafka import KafkaProducer

from monitor.clock import SystemClock
from monitor.errors import StoreUnavailable
from monitor.store.lake.lake_store import LakeStore
from monitor.store.lake.maintain import maintain_files
from tests.ingest.kafka.broker import Broker, running_broker
from tests.kills.kafka_kills import call_record
from tests.kills.lake_processes import freeze, kafka_section, processes, thaw
from tests.kills.process import Daemon
from tests.postgres import Postgres
from tests.store.lake.lakes import Lakes, running_lakes
from tests.store.lake.test_lake_workers import PARTITIONS, counts, positions

FROZEN_S: Final = 13.0  # longer than the session timeout of the consumer group
PASSES: Final = 3  # a file that one pass replaces is removed by the next
AWAY_S: Final = 3.0  # of the broker and of PostgreSQL
KNOWN: Final = "SELECT path FROM lake.ducklake_data_file UNION ALL SELECT path FROM lake.ducklake_delete_file"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What was sent, and what is stored."""

    records: int
    workers: int
    kills: int
    freezes: int
    restarts: int
    rows: int
    different: int
    at_the_ends: bool
    unknown_files: int  # after maintenance
    files: int
    seconds: float
    records_per_s: float

    @property
    def holds(self) -> bool:
        return self.rows == self.different == self.records and self.at_the_ends and not self.unknown_files


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """The processes, and a store to look at the result."""

    lake: str
    topic: str
    workers: list[Daemon]
    store: LakeStore
    broker: Broker
    server: Postgres


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=100_000, help="of the topic (%(default)s)")
    parser.add_argument("--workers", type=int, default=4, help="processes of the role ingest (%(default)s)")
    parser.add_argument("--kills", type=int, default=20, help="with SIGKILL (%(default)s)")
    parser.add_argument("--freezes", type=int, default=5, help=f"of {FROZEN_S:.0f} s each (%(default)s)")
    parser.add_argument("--minutes", type=float, default=40.0, help="give up after this many minutes (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the instants (%(default)s)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="driftd-lake-ingest-") as folder:
        verdict = ingest_with_kills(Path(folder), options)
    sys.stdout.write(json.dumps(asdict(verdict) | {"holds": verdict.holds}, indent=1) + "\n")
    return 0 if verdict.holds else 1


def ingest_with_kills(folder: Path, options: argparse.Namespace) -> Verdict:
    (folder / "broker").mkdir()
    with running_lakes() as lakes, running_broker(folder / "broker", os.environ) as broker:
        topic = broker.topic(partitions=PARTITIONS)
        producer = Thread(target=_produce, args=(broker, topic, options.records))
        with _started(folder, lakes, broker, topic, options.workers) as scene:
            store, workers = scene.store, scene.workers
            began = monotonic()
            producer.start()
            _harm_all(scene, options)
            producer.join()
            ends = {partition: broker.end(topic, partition) for partition in range(PARTITIONS)}
            while (found := positions(store, topic)) != ends and monotonic() < began + 60.0 * options.minutes:
                _keep_alive(workers)
                sleep(1.0)
            seconds = monotonic() - began
            rows, different = counts(store)
            for worker in workers:
                worker.stop()
            for _ in range(PASSES):
                maintain_files(store, None, SystemClock().now(), longest=timedelta(0))
            files = {path.name for path in lakes.files.rglob("*.parquet")}
            known = {Path(line).name for line in lakes.server.run(KNOWN, scene.lake).splitlines()}
            return Verdict(
                records=options.records,
                workers=options.workers,
                kills=options.kills,
                freezes=options.freezes,
                restarts=2,
                rows=rows,
                different=different,
                at_the_ends=found == ends,
                unknown_files=len(files - known),
                files=len(files),
                seconds=seconds,
                records_per_s=options.records / seconds,
            )


def _produce(broker: Broker, topic: str, records: int) -> None:
    """Send the records. The producer is idempotent, so the broker stores each batch once over its restart."""
    producer = KafkaProducer(
        bootstrap_servers=broker.bootstrap,
        linger_ms=20,
        batch_size=256 * 1024,
        delivery_timeout_ms=300_000,
    )
    for number in range(records):
        producer.send(topic, call_record(number), partition=number % PARTITIONS)
    producer.flush(300)
    producer.close()


def _harm_all(scene: Scene, options: argparse.Namespace) -> None:
    """Do harm at equal shares of the records that are read, in a random order."""
    rng, began = Random(options.seed), monotonic()
    harms = ["kill"] * options.kills + ["freeze"] * options.freezes + ["broker", "postgres"]
    rng.shuffle(harms)
    share = options.records / (len(harms) + 1)
    for number, harm in enumerate(harms, 1):
        while (read := sum(positions(scene.store, scene.topic).values())) < number * share * 0.9:
            _keep_alive(scene.workers)
            assert monotonic() < began + 60.0 * options.minutes, f"{read} records are read"
            sleep(0.2)
        _log(f"{number} of {len(harms)}: {harm} after {read} records, {monotonic() - began:.0f} s")
        if harm == "broker":
            scene.broker.stop()
            sleep(AWAY_S)
            scene.broker.start()
        elif harm == "postgres":
            scene.server.stop()
            sleep(AWAY_S)
            scene.server.start()
            _again(scene)
        elif harm == "kill":
            worker = rng.choice(scene.workers)
            worker.kill()
            worker.start("--role", "ingest")
        else:
            worker = rng.choice(scene.workers)
            freeze(worker)
            sleep(FROZEN_S)
            thaw(worker)


def _again(scene: Scene) -> None:
    """Read until the connection of this process is new: its first statements after a restart may fail."""
    for _ in range(20):
        try:
            positions(scene.store, scene.topic)
        except (duckdb.Error, StoreUnavailable) as error:
            _log(f"after the restart: {str(error)[:100]}")
            sleep(0.5)
        else:
            return


def _keep_alive(workers: list[Daemon]) -> None:
    ended = [worker.log[-2000:] for worker in workers if not worker.alive]
    assert not ended, ended


@contextmanager
def _started(folder: Path, lakes: Lakes, broker: Broker, topic: str, number: int) -> Iterator[Scene]:
    lake = lakes.create()
    ingest = {"kafka": {"calls": kafka_section(broker, topic)}}
    with processes(folder, lakes, lake, ["ingest"] * number, ingest=ingest) as workers:
        store = lakes.open(lake, SystemClock())
        try:
            for worker in workers:
                worker.start("--role", "ingest")
            yield Scene(lake=lake, topic=topic, workers=workers, store=store, broker=broker, server=lakes.server)
        finally:
            store.close()


def _log(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
