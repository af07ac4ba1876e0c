"""The sizing bench is tried for real: a daemon, a sender and replays in processes of their own."""

import pytest

from bench.sizing_study.advice import call_bytes, replay_cost
from bench.sizing_study.measuring import Size, measure

pytestmark = pytest.mark.timeout(900)


def test_a_daemon_is_measured_step_by_step() -> None:
    found = measure(Size(interactions=200, runs=1, cases=40, idle_s=3.0), memory_mb=512)
    assert found["interactions"] >= 200
    assert call_bytes(found) > 100
    assert list(found["replays"]) == ["open", "sealed"]
    assert all(found["replays"][name]["peak_rss_mb"] > 100 for name in found["replays"])
    assert replay_cost(found, "sealed")[0] > 0
    assert found["compactions"]["interactions"]["peak_disk_bytes"] > found["empty_bytes"]
