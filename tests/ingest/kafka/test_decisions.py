"""Decisions without a broker: where to read from, which partitions have stalled, and when to stop."""

import pytest
from pydantic import ValidationError

from monitor.config.kafka import KafkaConfig
from monitor.errors import ConfigError
from monitor.ingest.kafka.cluster import Cluster, Partition
from monitor.ingest.kafka.condition import Condition
from monitor.ingest.kafka.health import LagWatch, PoisonLimit
from monitor.ingest.kafka.offsets import Bounds, Lost, loss_reason, positions
from monitor.store.traffic.source_positions import StoredOffset
from tests.config.builders import config
from tests.ingest.build import NOW

ONE = Partition(topic_id="t-1", topic="calls", number=0)
TWO = Partition(topic_id="t-1", topic="calls", number=1)
ANEW = Partition(topic_id="t-2", topic="calls", number=0)


def stored(partition: Partition, offset: int) -> StoredOffset:
    return StoredOffset(
        cluster_id="c",
        topic_id=partition.topic_id,
        topic=partition.topic,
        partition=partition.number,
        next_offset=offset,
        stored_at=NOW,
    )


def test_the_stored_offset_counts_within_the_offsets_of_the_broker() -> None:
    for offset in (3, 5, 9):
        found = positions([stored(ONE, offset)], {ONE: Bounds(first=3, end=9)}, start="latest")
        assert (dict(found.known), dict(found.fresh), list(found.lost)) == ({ONE: offset}, {}, [])


def test_records_that_the_broker_removed_or_never_had_are_lost() -> None:
    behind = positions([stored(ONE, 2)], {ONE: Bounds(first=3, end=9)}, start="earliest")
    assert behind.lost == (Lost(partition=ONE, since=2, until=3),)
    beyond = positions([stored(ONE, 10)], {ONE: Bounds(first=3, end=9)}, start="earliest")
    assert beyond.lost == (Lost(partition=ONE, since=10, until=9, cut=True),)
    assert "the broker's log ends at 9" in loss_reason("mine", beyond.lost[0])
    assert "To continue at 9, set ingest.kafka.mine.on_data_loss to skip" in loss_reason("mine", beyond.lost[0])


@pytest.mark.parametrize(("start", "offset"), [("earliest", 3), ("latest", 9)])
def test_only_a_topic_that_was_never_read_begins_at_the_configured_start(start: str, offset: int) -> None:
    bounds = {ONE: Bounds(first=3, end=9)}
    assert positions([], bounds, start=start).fresh == {ONE: offset}  # type: ignore[arg-type]  # of the parameters
    assert positions([stored(TWO, 1)], bounds, start="latest").fresh == {ONE: 3}
    assert positions([stored(ANEW, 1)], bounds, start="latest").fresh == {ONE: 3}


def test_a_partition_stalls_when_records_wait_and_none_is_stored_in_time() -> None:
    watch = LagWatch(60.0)
    watch.update({ONE: 5, TWO: 7}, {ONE: 9, TWO: 7}, 0.0)
    watch.update({ONE: 5, TWO: 7}, {ONE: 9, TWO: 7}, 59.0)
    assert not watch.stalled
    watch.update({ONE: 5, TWO: 7}, {ONE: 12, TWO: 7}, 60.0)
    assert [(lag.partition, lag.records, lag.still_s) for lag in watch.stalled] == [(ONE, 7, 60.0)]
    watch.update({ONE: 6, TWO: 7}, {ONE: 12, TWO: 8}, 61.0)
    assert not watch.stalled
    watch.update({ONE: 12, TWO: 7}, {ONE: 12, TWO: 8}, 121.0)
    assert [lag.partition for lag in watch.stalled] == [TWO]


def cluster(*, led: tuple[Partition, ...], offline: tuple[Partition, ...] = ()) -> Cluster:
    return Cluster(id="c", partitions=frozenset(led), offline=frozenset(offline), missing=())


def test_a_partition_without_a_leader_is_a_problem_until_it_has_one() -> None:
    condition = Condition("mine", made(unavailable_after_s=60))
    condition.note_available(cluster(led=(ONE,), offline=(TWO,)), 100.0)
    assert condition.trouble(159.0) is None
    condition.note_available(cluster(led=(ONE,), offline=(TWO,)), 150.0)
    assert condition.trouble(160.0) == "Kafka source 'mine': topic calls partition 1 has no leader, for 60 s"
    condition.note_available(cluster(led=(ONE, TWO)), 161.0)
    assert condition.trouble(162.0) is None


def test_one_answer_of_a_cluster_ends_its_outage() -> None:
    condition = Condition("mine", made(unavailable_after_s=60))
    condition.note_unavailable("no broker answers", 0.0)
    condition.note_available(cluster(led=(ONE,)), 59.0)
    condition.note_unavailable("no broker answers", 60.0)
    assert condition.trouble(119.0) is None
    assert condition.trouble(120.0) == "no broker answers, for 60 s"


def test_a_source_with_all_partitions_stopped_has_stopped() -> None:
    condition = Condition("mine", made())
    condition.halts[ONE] = "stopped reading one"
    assert condition.state(cluster(led=(ONE, TWO))) == "reading all but 1 of 2 partitions: stopped reading one"
    assert condition.state(cluster(led=(ONE,))) == "stopped: stopped reading one"
    assert condition.trouble(0.0) == "stopped reading one"


def test_old_unreadable_records_do_not_count_and_the_limit_is_exact() -> None:
    limit = PoisonLimit(1, window=3)
    assert [limit.is_exceeded_by(bad=bad) for bad in (True, False, False, True, False, True)][-2:] == [False, True]
    assert PoisonLimit(0).is_exceeded_by(bad=True)


def made(**settings: object) -> KafkaConfig:
    return KafkaConfig.model_validate({"bootstrap_servers": ["k:9092"], "topics": {"calls": {}}} | settings)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"security": "sasl_ssl"}, "security sasl_ssl needs it"),
        ({"mechanism": "PLAIN"}, "security plaintext has no login"),
        ({"ca": __file__}, "certificates need ssl or sasl_ssl"),
        ({"security": "ssl", "ca": "absent.pem"}, "absent.pem does not exist"),
        ({"bootstrap_servers": ["no-port"]}, "bootstrap_servers"),
        ({"topics": {"a b": {}}}, "topics"),
    ],
)
def test_impossible_settings_are_rejected(settings: dict[str, object], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        made(**settings)


def test_one_topic_is_read_by_one_source() -> None:
    source = {"bootstrap_servers": ["k:9092"], "topics": {"calls": {}}}
    with pytest.raises(ConfigError, match=r"topic 'calls' of k:9092 is read by ingest\.kafka\.one already"):
        config(ingest__kafka={"one": source, "two": source})
    apart = config(ingest__kafka={"one": source, "two": source | {"topics": {"other": {}}}})
    assert list(apart.ingest.kafka) == ["one", "two"]
