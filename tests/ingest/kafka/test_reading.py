"""Reading from a real broker, and the positions after a restart."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from monitor.errors import DiskReserveReached
from monitor.ingest.intake import no_refusal
from monitor.ingest.limits import Limits
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback
from tests.ingest.build import native, native_feedback
from tests.ingest.kafka.broker import Broker
from tests.ingest.kafka.house import call, calls, reading, section
from tests.kills.batches import Calls, spans_with_one_malformed, spans_without_texts, texts_of

pytestmark = pytest.mark.xdist_group("kafka")
AT_NS = int(datetime(2026, 11, 21, 2, 0, tzinfo=UTC).timestamp()) * 10**9


def test_every_record_is_stored_once_and_a_restart_continues_after_the_stored_rows(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic(partitions=2)
    broker.send(topic, calls(0, 1, 2))
    broker.send(topic, calls(3, 4), partition=1)
    with reading(tmp_path, section(broker, topic)) as first:
        first.until_rows(5)
        assert first.offsets() == {(topic, 0): 3, (topic, 1): 2}
    broker.send(topic, calls(5))
    with reading(tmp_path, section(broker, topic)) as again:
        again.until_rows(6)
        assert again.ids() == [f"call-{n:06}" for n in range(6)]
        assert {row.source for row in again.pipeline.rows()} == {"kafka"}
        assert again.offsets() == {(topic, 0): 4, (topic, 1): 2}


def test_the_latest_offset_is_stored_at_the_first_connection(broker: Broker, tmp_path: Path) -> None:
    """Otherwise a restart before the first record would skip the records in between."""
    topic = broker.topic()
    broker.send(topic, calls(0))
    with reading(tmp_path, section(broker, topic, start="latest")) as first:
        first.until(lambda: first.source.state == "reading", "it has found its place")
    broker.send(topic, calls(1))
    with reading(tmp_path, section(broker, topic, start="latest")) as again:
        again.until_rows(1)
        assert again.ids() == ["call-000001"]


def test_a_record_has_one_object_or_an_array_and_may_be_empty(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    array = [native(id="a"), native_feedback(id="f"), {"type": "interaction"}, native(id="b")]
    broker.send(topic, [call(0), json.dumps(array).encode(), None])
    with reading(tmp_path, section(broker, topic)) as got:
        got.until(lambda: got.stored_to(topic) == 3, "all is read")
        assert got.ids() == ["a", "b", "call-000000"]
        with got.pipeline.store.read() as tx:
            assert [row.id for row in feedback.page(tx, PageQuery(limit=9)).items] == ["f"]
        (letter,) = got.pipeline.letters()
        assert (letter.source, letter.code) == ("kafka", "malformed")
        assert letter.reason.startswith(f"topic {topic} partition 0 offset 1 [2]: ")


def test_a_record_beyond_a_limit_is_a_dead_letter_with_its_offset_and_the_rest_is_read(
    broker: Broker, tmp_path: Path
) -> None:
    plain, spans = broker.topic(), broker.topic()
    two, three = (Calls(traces=tuple(bytes([n]) * 16 for n in some), at_ns=AT_NS) for some in ((1, 2), (3, 4, 5)))
    deep = call(1, attributes={"x": [[[1]]]})
    broker.send(plain, [json.dumps([native(id=f"c{n}") for n in range(3)]).encode(), deep, call(2)])
    broker.send(spans, [spans_without_texts(three).body, spans_without_texts(two).body])
    limits = Limits(records=2, depth=2)
    with reading(tmp_path, section(broker, topics={plain: {}, spans: {"format": "otlp_proto"}}), limits=limits) as got:
        got.until(lambda: (got.stored_to(plain), got.stored_to(spans)) == (3, 2), "all is read")
        assert got.ids() == sorted([*spans_without_texts(two).interactions, "call-000002"])
        many = "3 records, more than 2 (ingest.limits.records); send smaller batches"
        nested = "a value is nested deeper than 2 (ingest.limits.depth); send it as JSON text"
        assert sorted(letter.reason for letter in got.pipeline.letters()) == sorted(
            [
                f"topic {plain} partition 0 offset 0: the value has {many}",
                f"topic {plain} partition 0 offset 1: {nested}",
                f"topic {spans} partition 0 offset 0: the request has {many}",
            ]
        )


def test_otlp_topics_give_the_rows_that_http_gives(broker: Broker, tmp_path: Path) -> None:
    """The topics are as a Collector writes them: spans and log events in separate topics, in protobuf or JSON."""
    spans, texts, as_json = broker.topic(), broker.topic(), broker.topic()
    found = Calls(traces=tuple(bytes([n]) * 16 for n in (1, 2, 3)), at_ns=AT_NS)
    other = Calls(traces=tuple(bytes([n]) * 16 for n in (4, 5)), at_ns=AT_NS)
    written = spans_with_one_malformed(other)
    broker.send(spans, [spans_without_texts(found).body])
    broker.send(texts, [texts_of(found).body])
    broker.send(as_json, [gzip.decompress(written.body)])
    topics = {
        spans: {"format": "otlp_proto"},
        texts: {"format": "otlp_proto", "signal": "logs"},
        as_json: {"format": "otlp_json"},
    }
    with reading(tmp_path, section(broker, topics=topics)) as got:
        got.until(lambda: [got.stored_to(topic) for topic in topics] == [1, 1, 1], "all is read")
        got.pipeline.join()
        assert got.ids() == sorted([*spans_without_texts(found).interactions, *written.interactions])
        assert {row.convention for row in got.pipeline.rows()} == {"otel-genai"}
        assert sum(row.output_text == "30 days." for row in got.pipeline.rows()) == 3
        (letter,) = got.pipeline.letters()
        assert letter.source == "kafka"
        assert letter.reason.startswith(f"topic {as_json} partition 0 offset 0: ")


def test_json_in_a_protobuf_topic_is_reported_with_the_setting_to_correct(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, [b'{"resourceSpans": []}', b"\x07neither"])
    with reading(tmp_path, section(broker, topics={topic: {"format": "otlp_proto"}})) as got:
        got.until(lambda: got.stored_to(topic) == 2, "all is read")
        reasons = sorted((letter.code, letter.reason.partition(": ")[2]) for letter in got.pipeline.letters())
    assert reasons == [
        ("malformed", "the body is not a protobuf ExportTraceServiceRequest"),
        (
            "mislabelled",
            "the value is JSON, and `format` of the topic is otlp_proto; set it to otlp_json or native_json",
        ),
    ]


def test_partitions_that_are_added_are_read_from_their_beginning(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0))
    with reading(tmp_path, section(broker, topic, start="latest")) as got:
        got.until(lambda: got.source.state == "reading", "it has found its place")
        broker.grow(topic, 3)
        broker.send(topic, calls(1), partition=1)
        broker.send(topic, calls(2), partition=2)
        got.until_rows(2)
        assert got.ids() == ["call-000001", "call-000002"]
        assert got.offsets() == {(topic, 0): 1, (topic, 1): 1, (topic, 2): 1}


def test_a_topic_created_again_is_a_new_topic_and_read_from_its_beginning(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0, 1, 2))
    with reading(tmp_path, section(broker, topic)) as got:
        got.until_rows(3)
        broker.delete(topic)
        got.until(lambda: "does not exist" in got.source.state, "its end is seen")
        broker.make(topic)
        broker.send(topic, calls(10, 11))
        got.until_rows(5)
        assert got.ids()[3:] == ["call-000010", "call-000011"]
        assert got.offsets() == {(topic, 0): 2}


def test_a_topic_created_again_without_a_reader_is_not_a_loss(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0, 1, 2))
    with reading(tmp_path, section(broker, topic)) as first:
        first.until_rows(3)
    broker.delete(topic)
    broker.make(topic)
    broker.send(topic, calls(10))
    with reading(tmp_path, section(broker, topic, start="latest")) as again:
        again.until_rows(4)
        assert again.source.trouble() is None


def test_a_broker_restart_loses_no_record(broker: Broker, tmp_path: Path) -> None:
    if broker.folder is None:
        pytest.skip("the broker that KAFKA_BOOTSTRAP_SERVERS names is not ours to stop")
    topic = broker.topic()
    broker.send(topic, calls(*range(100)))
    with reading(tmp_path, section(broker, topic, poll_max_records=10)) as got:
        got.until_rows(30)
        broker.stop()
        got.until(lambda: got.failure != "", "it is seen that no broker answers")
        assert got.failure.startswith(f"Kafka source 'calls': {broker.bootstrap}: ")
        broker.start()
        broker.send(topic, calls(100))
        got.until_rows(101)
        assert got.ids() == [f"call-{n:06}" for n in range(101)]


def test_stored_offsets_are_committed_to_the_group(broker: Broker, tmp_path: Path) -> None:
    topic = broker.topic()
    broker.send(topic, calls(0, 1))
    with reading(tmp_path, section(broker, topic, group="driftd-of-tests")) as got:
        got.until_rows(2)
        got.until(lambda: broker.group("driftd-of-tests").get((topic, 0)) == 2, "the group knows")


def test_while_the_disk_has_no_space_the_source_pauses_without_moving_an_offset_and_then_continues(
    broker: Broker, tmp_path: Path
) -> None:
    topic = broker.topic(partitions=1)
    broker.send(topic, calls(0, 1))
    with reading(tmp_path, section(broker, topic)) as made:
        made.until_rows(2)
        intake = made.pipeline.intake
        intake.refusal = lambda: DiskReserveReached("the disk is nearly full")
        broker.send(topic, calls(2, 3, 4))
        for _ in range(10):
            made.try_step()
        assert made.failure == "", "a pause is no failure: the source keeps its connection and its group"
        assert made.source.state == "paused: the disk is nearly full"
        assert (len(made.ids()), made.stored_to(topic)) == (2, 2)
        intake.refusal = no_refusal
        made.until_rows(5)
        assert (made.source.state, made.stored_to(topic)) == ("reading", 5)
