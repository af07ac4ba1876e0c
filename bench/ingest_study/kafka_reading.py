"""Measure how fast a topic is read: a broker that has the records already, and a daemon that starts.

The broker and the daemon share the machine. The cost of the daemon is its CPU time.
"""

import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from random import Random

import duckdb
from kafka import KafkaProducer

from bench.ingest_study.jobs import OURS
from bench.ingest_study.programs import Program, programs
from bench.ingest_study.server import Recipe, Server
from bench.ingest_study.words import prose
from bench.replay_study.machine import busy_s, conditions
from bench.replay_study.measurement import Conditions
from tests.ingest.kafka.broker import Broker

PARTITIONS = 4
BODIES = 2_000  # different texts; an id and a ticket make each record unique
TICKET = "aaaaaaaaaaaa"
LOOK_S = 1.0  # interval of the offset commits to the group
PATIENCE_S = 300.0
_LETTERS = bytes.maketrans(b"0123456789abcdef", b"abcdefghijklmnop")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """The result: `records` read within `wall_s` after the daemon was ready. It may have started to read earlier.

    `cpu_s` is the time of all threads of the daemon. `lag` counts records not read at the end, `missing` those not
    stored exactly once.
    """

    version: str
    code: str
    records: int
    record_bytes: float
    wall_s: float
    cpu_s: float
    peak_rss_mb: float
    lag: int
    missing: int
    others_cores: float  # including the broker
    conditions: Conditions

    @property
    def records_a_second(self) -> float:
        return self.records / self.wall_s

    @property
    def cpu_us(self) -> float:
        """CPU time per record, in microseconds."""
        return 1e6 * self.cpu_s / self.records


def read_topic(broker: Broker, records: int) -> Reading:
    """Create a topic with this number of records, and run one daemon that reads it."""
    topic = broker.topic(partitions=PARTITIONS)
    size = _produce(broker, topic, records)
    with tempfile.TemporaryDirectory(prefix="driftd-bench-") as folder:
        return _read(broker, topic, records, size, Path(folder))


def keep(made: Reading, file: Path) -> None:
    """Append one JSON line for each result."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        lines.write(json.dumps(asdict(made), separators=(",", ":")) + "\n")


def bodies(rng: Random) -> Iterator[bytes]:
    """Yield model calls in native JSON, one kilobyte each, with space for an id and a ticket."""
    for _ in range(BODIES):
        yield json.dumps(
            {
                "type": "interaction",
                "id": "ID",
                "deployment": "bench",
                "started_at": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
                "duration_ms": rng.randrange(300, 3000),
                "conversation_id": rng.randbytes(8).hex(),
                "user_id": f"u-{rng.randrange(10**5)}",
                "trace_id": rng.randbytes(16).hex(),
                "span_id": rng.randbytes(8).hex(),
                "provider": "openai",
                "request": {
                    "model": "gpt-5-mini",
                    "messages": [
                        {"role": "system", "content": prose(Random(0), 120)},
                        {"role": "user", "content": f"{TICKET} {prose(rng, 130)}"},
                    ],
                    "temperature": 0.2,
                },
                "response": {
                    "model": "gpt-5-mini-2026-08-07",
                    "messages": [{"role": "assistant", "content": prose(rng, 150)}],
                    "finish_reason": "stop",
                },
                "usage": {"input_tokens": rng.randrange(60, 200), "output_tokens": rng.randrange(30, 90)},
            },
            separators=(",", ":"),
        ).encode()


def _produce(broker: Broker, topic: str, records: int) -> float:
    """Write the records with compression, and return the bytes of one record."""
    texts, ticket, total = list(bodies(Random(6))), TICKET.encode(), 0
    producer = KafkaProducer(
        bootstrap_servers=broker.bootstrap, linger_ms=20, batch_size=512 * 1024, compression_type="lz4"
    )
    for number in range(records):
        letters = number.to_bytes(6).hex().encode().translate(_LETTERS)
        value = texts[number % BODIES].replace(b'"ID"', b'"call-%012d"' % number, 1).replace(ticket, letters, 1)
        producer.send(topic, value, partition=number % PARTITIONS)
        total += len(value)
    producer.flush(timeout=PATIENCE_S)
    producer.close()
    return total / records


def _read(broker: Broker, topic: str, records: int, size: float, folder: Path) -> Reading:
    program = programs()[OURS]
    recipe = _reading_from(broker, topic, program, folder)
    before = conditions()
    with Server(recipe) as server:
        done, began_at, cpu_before_s, all_before_s = _stored(broker, topic), time.monotonic(), server.cpu_s(), busy_s()
        until = began_at + PATIENCE_S
        while (stored := _stored(broker, topic)) < records and time.monotonic() < until:
            time.sleep(0.05)
        wall_s, cpu_s = time.monotonic() - began_at, server.cpu_s() - cpu_before_s
        others_s, peak_mb = busy_s() - all_before_s - cpu_s, server.peak_rss_mb()
    return Reading(
        version=program.version(),
        code=program.code(),
        records=stored - done,
        record_bytes=size,
        wall_s=wall_s,
        cpu_s=cpu_s,
        peak_rss_mb=peak_mb,
        lag=records - stored,
        missing=records - _there_once(recipe.data[0]),
        others_cores=max(0.0, others_s) / wall_s,
        conditions=before,
    )


def _reading_from(broker: Broker, topic: str, program: Program, folder: Path) -> Recipe:
    """Return `driftd serve` with the default configuration, except for its ports and the commit interval that shows its
    progress.
    """
    recipe = program.recipe(folder)
    config = folder / "driftd.yaml"
    source = {"bootstrap_servers": [broker.bootstrap], "topics": {topic: {}}, "group": topic, "refresh_s": LOOK_S}
    written = config.read_text().replace("ingest: {", f"ingest: {{kafka: {{bench: {json.dumps(source)}}}, ", 1)
    config.write_text(written)
    return recipe


def _stored(broker: Broker, topic: str) -> int:
    """Return the number of stored records from the committed offsets of the group, which has the name of the topic."""
    return sum(broker.group(topic).values())


def _there_once(file: Path) -> int:
    with duckdb.connect(file, read_only=True) as connection:
        found = connection.execute("SELECT count(DISTINCT id) - (count(*) - count(DISTINCT id)) FROM interaction")
        return int(found.fetchall()[0][0])
