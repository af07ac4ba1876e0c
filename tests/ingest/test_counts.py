"""The counts of ingest by minute, on a clock that the test moves."""

from datetime import UTC, datetime

from monitor.ingest.counts import IngestCounts
from monitor.telemetry import NO_TELEMETRY


class Stopwatch:
    """A clock whose monotonic seconds the test sets."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def now(self) -> datetime:
        return datetime(2026, 3, 1, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds


def test_totals_cover_the_window_and_older_minutes_expire() -> None:
    clock = Stopwatch()
    counts = IngestCounts(NO_TELEMETRY, clock)
    counts.count("driftd.ingest.batches", 90, {"result": "committed"})
    counts.count("driftd.ingest.refused", 8, {"transport": "otlp", "code": "intake_full"})
    counts.count("driftd.ingest.refused", 2, {"transport": "otlp", "code": "unauthorized"})
    counts.count("driftd.ingest.accepted", 50)
    counts.count("driftd.ingest.duplicates", 5)
    counts.count("driftd.ingest.dead_letters", 5, {"source": "otlp", "code": "malformed"})
    counts.count("driftd.loop.steps", 99, {"loop": "link"})
    counts.record("driftd.ingest.receipt.duration", 3.0)
    counts.record("driftd.ingest.receipt.duration", 1.0)
    found = counts.totals(600.0)
    assert (found.requests, found.refused, found.most_refused) == (100, 10, "intake_full")
    assert (found.records, found.dead_letters, found.waited_s) == (60, 5, 3.0)
    clock.seconds = 5 * 60.0
    assert (counts.totals(600.0).requests, counts.totals(600.0).waited_s) == (100, 0.0)
    assert counts.totals(120.0).requests == 0
    clock.seconds = 11 * 60.0
    assert counts.totals(600.0).requests == 0
