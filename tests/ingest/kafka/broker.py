"""A real Kafka broker in KRaft mode, from the jars of `.ci/kafka`, on free local ports."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from uuid import uuid4

import pytest
from kafka import KafkaAdminClient, KafkaProducer, TopicPartition
from kafka.admin import OffsetSpec
from kafka.errors import KafkaError

from tests.ports import free_ports

ROOT = Path(__file__).parents[3]
FINDER = ROOT / ".ci/kafka"
HOW = "run `.ci/kafka`, which resolves its jars with Maven, or name a broker with KAFKA_BOOTSTRAP_SERVERS"
START_S = 60.0
QUICK = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto")  # this broker runs for a minute
CLUSTER_ID = "ZHJpZnRkLXRlc3QtMDAwMQ"


def why_not(env: Mapping[str, str]) -> str | None:
    """Return why no broker is available, or None."""
    return None if env.get("KAFKA_BOOTSTRAP_SERVERS") else jars_missing(env)


def jars_missing(env: Mapping[str, str]) -> str | None:
    """Return why a broker cannot be started, or None."""
    if shutil.which("java", path=env.get("PATH")) is None:
        return f"there is no Java for a Kafka broker; install Java 17 and {HOW}"
    return None if jars(env).is_dir() else f"there are no jars of a Kafka broker; {HOW}"


def without_broker(env: Mapping[str, str], reason: str) -> NoReturn:
    """Skip on a developer's machine. Fail in CI, where the Kafka tests must run."""
    if env.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def jars(env: Mapping[str, str]) -> Path:
    said = subprocess.run([FINDER, "--where"], env=dict(env), capture_output=True, text=True, check=True)
    return Path(said.stdout.strip())


@dataclass(slots=True, kw_only=True)
class Broker:
    """A broker. `bootstrap` stays the same after a restart. An external broker (`folder` is None) cannot be stopped."""

    bootstrap: str
    folder: Path | None = None
    classpath: str = ""
    process: "subprocess.Popen[bytes] | None" = None
    _producer: KafkaProducer | None = None
    _admin: KafkaAdminClient | None = None
    made: list[str] = field(default_factory=list)

    @property
    def admin(self) -> KafkaAdminClient:
        if self._admin is None:
            self._admin = KafkaAdminClient(bootstrap_servers=self.bootstrap, request_timeout_ms=10_000)
        return self._admin

    @property
    def producer(self) -> KafkaProducer:
        if self._producer is None:
            self._producer = KafkaProducer(bootstrap_servers=self.bootstrap, linger_ms=5, batch_size=256 * 1024)
        return self._producer

    def topic(self, *, partitions: int = 1, **settings: str) -> str:
        """Return the name of a new topic."""
        return self.make(f"driftd-{uuid4().hex[:12]}", partitions=partitions, **settings)

    def make(self, name: str, *, partitions: int = 1, **settings: str) -> str:
        configs = {key.replace("_", "."): value for key, value in settings.items()}
        plan = {name: {"num_partitions": partitions, "replication_factor": 1, "configs": configs}}
        until = time.monotonic() + 20
        while True:
            try:
                self.admin.create_topics(plan, wait_for_metadata=True)
                break
            except KafkaError:  # a name that was deleted a moment ago
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)
        self.made.append(name)
        return name

    def delete(self, name: str) -> None:
        self.admin.delete_topics([name])

    def grow(self, name: str, partitions: int) -> None:
        self.admin.create_partitions({name: partitions})
        self._close_producer()  # it would not refresh its metadata for minutes

    def send(self, topic: str, values: Sequence[bytes | None], partition: int = 0) -> None:
        """Send the records and wait until the broker has them."""
        sent = [self.producer.send(topic, value, key=b"k", partition=partition) for value in values]
        self.producer.flush(timeout=30)
        for one in sent:
            one.get(timeout=30)

    def forget(self, topic: str, before: int, partition: int = 0) -> None:
        """Delete the oldest records, as retention does."""
        self.admin.delete_records({TopicPartition(topic, partition): before})

    def end(self, topic: str, partition: int = 0) -> int:
        tp = TopicPartition(topic, partition)
        found: dict[TopicPartition, Any] = self.admin.list_partition_offsets({tp: OffsetSpec.LATEST})
        return int(found[tp].offset)

    def group(self, group: str) -> dict[tuple[str, int], int]:
        """Return the committed offsets; empty while the cluster creates its group table."""
        try:
            found = self.admin.list_group_offsets([group])
        except KafkaError as error:
            if not error.retriable:
                raise
            return {}
        return {(tp.topic, tp.partition): one.offset for tp, one in found[group].items()}

    def start(self) -> None:
        assert self.folder is not None
        settings = str(self.folder / "server.properties")
        with (self.folder / "broker.log").open("ab") as log:
            self.process = subprocess.Popen(
                ["java", "-Xmx384m", *QUICK, "-cp", self.classpath, "kafka.Kafka", settings], stdout=log, stderr=log
            )
        host, port = self.bootstrap.rsplit(":", 1)
        until = time.monotonic() + START_S
        while time.monotonic() < until:
            assert self.process.poll() is None, f"the broker ended:\n{(self.folder / 'broker.log').read_text()[-3000:]}"
            with socket.socket() as probe:
                if probe.connect_ex((host, int(port))) == 0:
                    return
            time.sleep(0.05)
        raise TimeoutError(f"no broker at {self.bootstrap} within {START_S:.0f} s")

    def stop(self) -> None:
        """Stop at once, like a crash."""
        self._close_producer()
        if self._admin is not None:
            self._admin.close()
            self._admin = None
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def _close_producer(self) -> None:
        if self._producer is not None:
            self._producer.close()
            self._producer = None


@contextmanager
def running_broker(folder: Path, env: Mapping[str, str] = os.environ) -> Iterator[Broker]:
    """Yield the broker in KAFKA_BOOTSTRAP_SERVERS, or start one in `folder`."""
    if named := env.get("KAFKA_BOOTSTRAP_SERVERS"):
        broker = Broker(bootstrap=named)
    else:
        broker = _own(folder, jars(env))
        broker.start()
    try:
        yield broker
    finally:
        if broker.folder is None:
            broker.admin.delete_topics(broker.made, raise_errors=False)
        broker.stop()


def _own(folder: Path, lib: Path) -> Broker:
    (port,) = free_ports(1)
    return own_broker(folder, lib, port)


def own_broker(folder: Path, lib: Path, port: int, *, settings: str = "", users: Sequence[str] = ()) -> Broker:
    """Return a broker that is not started. `settings` are additional configuration lines, `users` the SCRAM records of
    StorageTool.
    """
    (controller,) = free_ports(1)
    (folder / "server.properties").write_text(
        f"""process.roles=broker,controller
node.id=1
listeners=PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}
advertised.listeners=PLAINTEXT://127.0.0.1:{port}
controller.listener.names=CONTROLLER
controller.quorum.voters=1@127.0.0.1:{controller}
listener.security.protocol.map=PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT
log.dirs={folder / "data"}
offsets.topic.replication.factor=1
offsets.topic.num.partitions=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=1
auto.create.topics.enable=false
file.delete.delay.ms=100
{settings.format(port=port, controller=controller)}"""
    )
    classpath = f"{lib}/*"
    tool = ["java", *QUICK, "-cp", classpath, "kafka.tools.StorageTool", "format"]
    made = [word for user in users for word in ("--add-scram", user)]
    subprocess.run(
        [*tool, "-t", CLUSTER_ID, "-c", str(folder / "server.properties"), *made],
        check=True,
        capture_output=True,
        timeout=60,
    )
    return Broker(bootstrap=f"127.0.0.1:{port}", folder=folder, classpath=classpath)
