"""The script is tried for real: a store with calls by SQL, and a daemon that continues it, twice."""

from pathlib import Path

from bench.growth import StoredCalls, measured, report
from bench.ingest_study.jobs import Sizes


def test_stores_of_two_sizes_are_measured_twice(tmp_path: Path) -> None:
    stores = [StoredCalls(tmp_path / str(calls), calls) for calls in (0, 100_000)]
    for store in stores:
        store.folder.mkdir()
        store.write()
    rounds = [measured(store, Sizes(seconds=2.0)) for _ in range(2) for store in stores]
    assert all(one.crash_start_s > 0 for one in rounds)
    assert max(one.log_mb for one in rounds) > 1
    assert [line.split(" | ")[0] for line in report(rounds).splitlines()[2:]] == ["| 0", "| 100,000"]
