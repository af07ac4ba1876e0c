"""Whole daemons on a lake in a real object store, which is killed, frozen and takes the rights of the key away."""

import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from time import sleep

import pytest

from monitor.clock import SystemClock
from monitor.domain.object_store import ObjectKeys
from monitor.store.lake.lake_store import LakeStore
from tests.ingest.kafka.broker import Broker
from tests.kills.ingest_kills import until_more
from tests.kills.lake_processes import kafka_section, processes
from tests.kills.process import Daemon
from tests.kills.senders import Senders
from tests.kills.waiting import until
from tests.store.lake.gateway import Gateway
from tests.store.lake.lakes import BUCKET, Lakes, running_lakes
from tests.store.lake.test_lake_objects import SETTINGS, WRITE
from tests.store.lake.test_lake_workers import produce, until_read

AWAY_S = 20.0


@pytest.fixture(scope="module")
def on_s3(lakes: Lakes) -> Iterator[Lakes]:
    if lakes.gateway is not None:
        yield lakes
        return
    with running_lakes(on_s3=True) as started:
        yield started


@pytest.fixture
def gateway(on_s3: Lakes) -> Gateway:
    assert on_s3.gateway is not None
    return on_s3.gateway


def require_each_once(store: LakeStore, senders: Senders) -> int:
    """Every acknowledged record is stored, and nothing is stored twice. Return the number of stored calls."""
    with store._cursor("read") as cursor:
        calls, feedback = (
            Counter(dict(cursor.execute(f"SELECT id, count(*) FROM current_{table} GROUP BY id").fetchall()))
            for table in ("interaction", "feedback")
        )
    twice = [key for found in (calls, feedback) for key, count in found.items() if count > 1]
    assert twice == []
    assert {key for batch in senders.acknowledged for key in batch.interactions} <= calls.keys()
    assert {key for batch in senders.acknowledged for key in batch.feedback} <= feedback.keys()
    assert senders.wrong == []
    return calls.total()


def refusal(daemon: Daemon) -> str:
    """Return why the daemon is not ready; an empty text when it is."""
    answer = daemon.http.get(f"{daemon.api}/readyz")
    return "" if answer.status_code == 200 else answer.text


@pytest.mark.timeout(400)
def test_nothing_is_lost_or_stored_twice_while_the_object_store_is_away(
    tmp_path: Path, on_s3: Lakes, gateway: Gateway, broker: Broker
) -> None:
    lake, topic, records = on_s3.create(), broker.topic(partitions=8), 4_000
    ingest = {"kafka": {"calls": kafka_section(broker, topic)}}
    produce(broker, topic, 0, records // 2)
    with (
        processes(tmp_path / "all", on_s3, lake, ["all"]) as [daemon],
        processes(tmp_path / "ingest", on_s3, lake, ["ingest"], ingest=ingest) as [worker],
    ):
        daemon.start()
        worker.start("--role", "ingest")
        daemon.wait_ready()
        senders = Senders(daemon.addresses, count=2, names="s3")
        senders.start()
        try:
            until_more(senders, 6)
            gateway.stop()
            until(lambda: refusal(daemon) != "", "the daemon is not ready")
            assert "the object store fails" in refusal(daemon)
            produce(broker, topic, records // 2, records)
            refused = senders.again
            sleep(AWAY_S)
            assert senders.again > refused
            gateway.start()
            until(lambda: refusal(daemon) == "", "the daemon is ready")
            until_more(senders, len(senders.acknowledged) + 6)
        finally:
            senders.finish()
        store = on_s3.open(lake, SystemClock())
        until_read(store, broker, topic, [worker])
        assert require_each_once(store, senders) >= records
        store.close()
        one = senders.acknowledged[0].interactions or senders.acknowledged[1].interactions
        assert one[0] in str(daemon.get(f"interactions/{one[0]}"))
        assert (daemon.stop(), worker.stop()) == (0, 0)


@pytest.mark.timeout(200)
def test_a_key_that_is_refused_is_reported_and_the_next_one_works(
    tmp_path: Path, on_s3: Lakes, gateway: Gateway
) -> None:
    keys = ObjectKeys(id="of-the-daemon", secret="s3cr3t-of-the-daemon")
    gateway.add_user(keys)
    gateway.allow(BUCKET, keys, *WRITE, *SETTINGS)
    lake = on_s3.create()
    with processes(tmp_path, on_s3, lake, ["all"]) as [daemon]:
        text = daemon.config.read_text()
        for usual, own in zip(("driftd-test", "s3cr3t-of-the-tests"), (keys.id, keys.secret), strict=True):
            assert usual in text
            text = text.replace(usual, own)
        daemon.config.write_text(text)
        daemon.start()
        daemon.wait_ready()
        senders = Senders(daemon.addresses, count=1, names="key")
        senders.start()
        try:
            until_more(senders, 2)
            gateway.remove_user(keys)
            until(lambda: "InvalidAccessKeyId" in refusal(daemon), "the daemon reports the key")
            assert "correct store.object_store.access_key_id" in refusal(daemon)
            until(lambda: "StoreReadOnly" in daemon.log, "an alert opens")
            before = len(senders.acknowledged)
            gateway.add_user(keys)
            until_more(senders, before + 2)
            gateway.remove_user(keys)
            until(lambda: refusal(daemon) != "", "the daemon is not ready")
        finally:
            senders.finish()
        assert daemon.stop() == 0
        daemon.start()
        assert daemon.leave() == 2
        assert "InvalidAccessKeyId: it does not know the key id" in daemon.log.splitlines()[-1]
        assert keys.secret not in daemon.log
    assert senders.wrong == []


@pytest.mark.timeout(300)
def test_a_frozen_object_store_delays_and_loses_nothing(tmp_path: Path, on_s3: Lakes, gateway: Gateway) -> None:
    assert gateway.process is not None
    lake = on_s3.create()
    with processes(tmp_path, on_s3, lake, ["all"]) as [daemon]:
        daemon.start()
        daemon.wait_ready()
        senders = Senders(daemon.addresses, count=1, names="frozen")
        senders.start()
        try:
            until_more(senders, 2)
            gateway.process.send_signal(signal.SIGSTOP)
            sleep(10)
            gateway.process.send_signal(signal.SIGCONT)
            until_more(senders, len(senders.acknowledged) + 3)
        finally:
            gateway.process.send_signal(signal.SIGCONT)
            senders.finish()
        assert daemon.stop() == 0
        store = on_s3.open(lake, SystemClock())
        require_each_once(store, senders)
        store.close()
