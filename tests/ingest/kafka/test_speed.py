"""The measurement of bench/ingest.py --kafka with a broker, a topic and `driftd serve`."""

import json
from pathlib import Path

import pytest

from bench.ingest_study.kafka_reading import keep, read_topic
from tests.ingest.kafka.broker import Broker

pytestmark = pytest.mark.xdist_group("kafka")


def test_a_topic_is_read_to_its_end_and_its_cost_is_recorded(broker: Broker, tmp_path: Path) -> None:
    made = read_topic(broker, 3_000)
    assert (made.lag, made.missing) == (0, 0)
    assert 900 < made.record_bytes < 1_100
    assert made.cpu_s > 0
    keep(made, tmp_path / "kafka.jsonl")
    (line,) = (tmp_path / "kafka.jsonl").read_text().splitlines()
    assert json.loads(line)["records"] == made.records
