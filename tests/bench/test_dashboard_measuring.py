"""The measurement of the dashboard against a daemon on 10,000 calls."""

from pathlib import Path

from bench.dashboard import measure, stored
from bench.large_store import Size

SMALL = Size(calls=10_000, runs=12, cases=20, block=1_000)


def test_every_answer_over_a_small_store_is_measured(tmp_path: Path) -> None:
    assert stored(tmp_path, SMALL) == SMALL
    measured = measure(tmp_path / "driftd.yaml", SMALL, rounds=1, page_rounds=0)
    answers = {one["target"]: one for one in measured["answers"]}
    assert measured["reference"]["status"] == 200
    assert answers["/api/v1/runs?deployment=bot"]["p50_ms"] > 0
    assert answers["/api/v1/corrections/rate?deployment=bot"]["bytes"] > 100
    assert measured["size"]["outcomes"] == 240
    assert stored(tmp_path, Size()) == SMALL, "a store that is there is used again"
