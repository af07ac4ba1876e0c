"""The whole daemon as a process: killed, told to stop, and one whose source stopped."""

from pathlib import Path

import pytest

from tests.ingest.kafka.broker import Broker
from tests.kills.kafka_kills import kafka_kills

pytestmark = [pytest.mark.xdist_group("kafka"), pytest.mark.timeout(300)]
KILLS = 5


def test_each_record_is_there_once_whenever_the_daemon_is_killed(broker: Broker, tmp_path: Path) -> None:
    verdict = kafka_kills(tmp_path, broker, kills=KILLS, seed=7)
    assert verdict.holds, verdict
    assert verdict.records > 100
