"""Send SIGKILL to the daemon while it reads Kafka: every record is stored once, and the offsets match."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from time import monotonic, sleep

import yaml
from kafka import KafkaProducer

from tests.ingest.kafka.broker import Broker
from tests.kills.batches import UNWATCHED
from tests.kills.file import Rows, rows_of, settle
from tests.kills.process import Daemon

PARTITIONS = 3
EARLY = 0.2  # share of kills that come while the daemon is still starting
LONGEST_S = 1.0  # after it answers
POISON_EVERY = 50
PATIENCE_S = 60.0
SETTINGS = {"refresh_s": 0.5, "poll_max_records": 200, "max_unreadable": 1000}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kill:
    number: int
    at: str  # "starting" or "at work"
    after_s: float
    sent: int  # records, before it


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The state of the file at the end. All fields except the first must be 0."""

    records: int
    lost: int
    twice: int
    strange: int  # rows that were not sent
    letters_wrong: int  # unreadable records that are not there exactly once
    offsets_wrong: int  # partitions whose stored offset is not behind their last record

    @property
    def holds(self) -> bool:
        return not any((self.lost, self.twice, self.strange, self.letters_wrong, self.offsets_wrong))


@dataclass(slots=True)
class Sending:
    """A producer without pauses. Only records that the broker acknowledged count."""

    broker: Broker
    topic: str
    good: list[str] = field(default_factory=list)
    poison: list[tuple[int, int]] = field(default_factory=list)  # partition, offset
    _stop: threading.Event = field(default_factory=threading.Event)

    def run(self) -> None:
        producer = KafkaProducer(bootstrap_servers=self.broker.bootstrap, linger_ms=2)
        number = 0
        while not self._stop.is_set():
            sent = []
            for _ in range(20):
                number += 1
                bad = number % POISON_EVERY == 0
                value = f"no JSON {number}".encode() if bad else call_record(number)
                sent.append((number, bad, producer.send(self.topic, value, partition=number % PARTITIONS)))
            for one, bad, future in sent:
                result = future.get(timeout=30)
                if bad:
                    self.poison.append((result.partition, result.offset))
                else:
                    self.good.append(_id(one))
            self._stop.wait(0.02)
        producer.close()

    @contextmanager
    def going_on(self) -> Iterator[None]:
        thread = threading.Thread(target=self.run, name="kafka-sender", daemon=True)
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join(60)
            assert not thread.is_alive(), "the sender does not end"


def kafka_kills(
    folder: Path, broker: Broker, *, kills: int, seed: int, report: Callable[[Kill], None] = lambda _: None
) -> Verdict:
    rng = Random(seed)
    topic = broker.topic(partitions=PARTITIONS)
    with Daemon(folder=folder, model_url="http://127.0.0.1:9/v1") as daemon:
        read_from(daemon, broker, topic)
        sending = Sending(broker, topic)
        with sending.going_on():
            for number in range(1, kills + 1):
                report(_kill(daemon, rng, sending, number))
        daemon.start()
        daemon.wait_ready()
        ends = {partition: broker.end(topic, partition) for partition in range(PARTITIONS)}
        _until_read(broker, topic, ends)
        daemon.kill()
        settle(daemon)
        with rows_of(daemon.file) as rows:
            return judge(rows, sending, ends)


def read_from(daemon: Daemon, broker: Broker, topic: str, **settings: object) -> None:
    """Add a source to the configuration of the daemon. The offsets of its group show the progress."""
    tree = yaml.safe_load(daemon.config.read_text())
    source = {"bootstrap_servers": [broker.bootstrap], "topics": {topic: {}}, "group": topic, **SETTINGS, **settings}
    tree["ingest"]["kafka"] = {"calls": source}
    daemon.config.write_text(yaml.safe_dump(tree))


def _kill(daemon: Daemon, rng: Random, sending: Sending, number: int) -> Kill:
    early = rng.random() < EARLY
    daemon.start()
    if not early:
        daemon.wait_ready()
    before = monotonic()
    sleep(rng.uniform(0.0, 1.5 if early else LONGEST_S))
    daemon.kill()
    at = "starting" if early else "at work"
    return Kill(number=number, at=at, after_s=monotonic() - before, sent=len(sending.good))


def _until_read(broker: Broker, topic: str, ends: dict[int, int]) -> None:
    until = monotonic() + PATIENCE_S
    wanted = {(topic, partition): end for partition, end in ends.items()}
    while broker.group(topic) != wanted:
        assert monotonic() < until, f"not read to the end: {broker.group(topic)} of {wanted}"
        sleep(0.1)


def judge(rows: Rows, sending: Sending, ends: dict[int, int]) -> Verdict:
    stored, sent = rows.counts("interaction"), set(sending.good)
    letters = rows.counts("dead_letter", "reason")
    stored_offsets = dict(rows.all('SELECT "partition", next_offset FROM kafka_offset WHERE topic = ?', sending.topic))
    return Verdict(
        records=len(sent) + len(sending.poison),
        lost=len(sent - stored.keys()),
        twice=sum(count - 1 for count in stored.values()),
        strange=len(stored.keys() - sent),
        letters_wrong=sum(
            sum(count for reason, count in letters.items() if f"partition {p} offset {o}:" in reason) != 1
            for p, o in sending.poison
        ),
        offsets_wrong=sum(stored_offsets.get(partition) != end for partition, end in ends.items()),
    )


def _id(number: int) -> str:
    return f"kafka-{number:08}"


def call_record(number: int) -> bytes:
    record = {
        "type": "interaction",
        "id": _id(number),
        "deployment": UNWATCHED,
        "started_at": datetime.now(UTC).isoformat(),
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": "refund? " * 40}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "30 days. " * 40}]},
    }
    return json.dumps(record).encode()
