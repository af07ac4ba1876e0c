"""All captured requests through the Kafka exporter of a real Collector give the same rows as over HTTP."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.ingest.collector import AT_ONCE, collecting
from tests.ingest.http.test_transports import Rows, rows_of, sent_over
from tests.ingest.kafka.broker import Broker
from tests.ingest.kafka.house import reading, section
from tests.ingest.transports import contents

pytestmark = pytest.mark.xdist_group("kafka")
PROTOBUF = {"content-type": "application/x-protobuf"}


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    return sent_over("protobuf", tmp_path_factory.mktemp("kafka-collector") / "usual")


@pytest.mark.parametrize("encoding", ["otlp_proto", "otlp_json"])
def test_its_kafka_exporter(encoding: str, usual: Rows, broker: Broker, tmp_path: Path) -> None:
    topics = {signal: broker.topic() for signal in ("traces", "logs")}
    told = {signal: {"topic": topic, "encoding": encoding} for signal, topic in topics.items()}
    with collecting(tmp_path, "kafka", {"brokers": [broker.bootstrap], **told, **AT_ONCE}) as collector:
        for content in contents():
            answer = collector.post(f"/v1/{content.signal}", content=content.body, headers=PROTOBUF)
            assert answer.status_code == 200, answer.text
    formats = {topic: {"format": encoding, "signal": signal} for signal, topic in topics.items()}
    with reading(tmp_path, section(broker, topics=formats)) as got:
        ends = {(topic, 0): broker.end(topic) for topic in topics.values()}
        got.until(lambda: got.offsets() == ends, "all is read")
        calls, said, letters = rows_of(got.pipeline)
        assert [replace(call, source="otlp") for call in calls] == usual[0]
        assert (said, len(letters)) == (usual[1], len(usual[2]))
