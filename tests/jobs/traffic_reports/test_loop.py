import logging
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from typing import Any

import pyarrow as pa
import pytest

from monitor.config.policy import to_policy, to_traffic_report_policy
from monitor.config.tree import Config
from monitor.domain.finding import Verdict
from monitor.domain.traffic_report import TrafficReport, TrafficReportState
from monitor.jobs.traffic_reports.loop import TrafficReportLoop
from monitor.jobs.traffic_reports.process import ReportFiles, Stopped, TrafficReportFailed, run_worker
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.findings import findings, traffic_reports
from monitor.store.traffic import interactions
from tests.store.build import assistant, interaction, user

NIGHT = datetime(2026, 3, 2, 4, 0, tzinfo=UTC)
DAY = timedelta(days=1)
CONFIG = Config.model_validate(
    {
        "deployments": {"support": {"target": "model", "sets": []}},
        "targets": {"model": {"kind": "openai", "base_url": "http://127.0.0.1:9/v1", "model": "m"}},
        "traffic_reports": {"min_calls": 60, "keep_pages": 2},
    }
)


class HandClock:
    def __init__(self) -> None:
        self.instant = NIGHT - DAY

    def now(self) -> datetime:
        return self.instant

    def monotonic(self) -> float:
        return self.instant.timestamp()


class Workers:
    """Replaces the slow process: writes a page and numbers, or fails as the test sets it."""

    def __init__(self) -> None:
        self.calls: list[pa.Table] = []
        self.fails: Exception | None = None
        self.distances: dict[str, float | None] = {"topic": 0.1}

    def __call__(self, calls: pa.Table, folder: Path, *, timeout_s: float, stopping: Event) -> ReportFiles:
        self.calls.append(calls)
        if self.fails:
            raise self.fails
        page = folder / "traffic_report.html"
        page.write_text(f"page {len(self.calls)}")
        return ReportFiles(page=page, distances=self.distances, counts={"topic": (60, 60)}, refused_connections=0)


class House:
    def __init__(self, folder: Path) -> None:
        self.clock, self.workers, self.folder = HandClock(), Workers(), folder / "traffic_reports"
        self.store = Store.open(folder / "driftd.duckdb", clock=self.clock)

    def loop(self, missing: str | None = None, **changes: Any) -> TrafficReportLoop:
        loop = TrafficReportLoop(
            store=self.store,
            policy=to_policy(CONFIG),
            settings=replace(to_traffic_report_policy(CONFIG), **changes),
            folder=self.folder,
            clock=self.clock,
            worker=self.workers,
            missing=missing,
        )
        loop.step()  # first sight
        return loop

    def live(self, days: int, until: datetime = NIGHT) -> None:
        """Store sixty calls on each of the previous days."""
        rows = [
            interaction(
                f"{day}-{n}",
                started_at=until - day * DAY - timedelta(minutes=n + 1),
                duration_ms=float(500 + n),
                input_messages=(user(f"How is the weather in the town with the number {n}?"),),
                output_messages=(assistant("It is sunny there, and the wind is low."),),
            )
            for day in range(days)
            for n in range(60)
        ]
        with self.store.write() as tx:
            interactions.insert(tx, rows)

    def kept(self) -> list[TrafficReport]:
        """Return the reports, the newest first."""
        with self.store.read() as tx:
            return traffic_reports.page(tx, PageQuery()).items

    def pages(self) -> list[str]:
        return sorted(path.read_text() for path in self.folder.rglob("*.html"))


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    opened = House(tmp_path)
    yield opened
    opened.store.close()


def test_a_night_becomes_one_traffic_report_with_its_page_and_its_windows(house: House) -> None:
    loop = house.loop()
    house.live(days=3)
    house.clock.instant = NIGHT + timedelta(minutes=5)
    assert (loop.step(), loop.step()) == (1, 0)
    (made,) = house.kept()
    assert (made.state, made.until, made.since) == (TrafficReportState.MADE, NIGHT, NIGHT - DAY)
    assert made.reference_since == NIGHT - 29 * DAY
    assert made.path == f"support/{made.id}.html"
    assert (house.folder / made.path).read_text() == "page 1"
    assert made.evidence["verdict"] == "insufficient"
    assert house.workers.calls[0]["window"].to_pylist() == ["reference"] * 120 + ["now"] * 60


def test_too_little_traffic_is_insufficient_and_starts_no_process(house: House) -> None:
    loop = house.loop()
    house.live(days=1)
    house.clock.instant = NIGHT
    assert loop.step() == 1
    (made,) = house.kept()
    assert (made.state, made.path, house.workers.calls) == (TrafficReportState.INSUFFICIENT, None, [])
    assert made.reason == "60 calls in the window and 0 in the reference; 60 are needed in each"


@pytest.mark.parametrize("error", [TrafficReportFailed("KeyError at a/b.py:1"), OSError(28, "No space left on device")])
def test_a_failure_is_a_line_in_the_log_and_the_next_night_goes_on(
    house: House, caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    loop = house.loop()
    house.live(days=3)
    house.workers.fails, house.clock.instant = error, NIGHT
    with caplog.at_level(logging.WARNING):
        assert loop.step() == 1
    (failed,) = house.kept()
    assert failed.state is TrafficReportState.FAILED
    assert str(error.args[-1]) in failed.reason
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert list(house.folder.rglob("*.*")) == []
    assert loop.step() == 0


def test_a_stop_leaves_nothing_and_the_next_start_makes_it(house: House) -> None:
    loop = house.loop()
    house.live(days=3)
    house.workers.fails, house.clock.instant = Stopped(), NIGHT
    assert (loop.step(), house.kept()) == (0, [])
    house.workers.fails = None
    assert house.loop().step() == 0  # its first step, in the builder, made it
    assert [made.state for made in house.kept()] == [TrafficReportState.MADE]


def test_only_the_newest_pages_stay_and_strangers_go(house: House) -> None:
    loop = house.loop()
    house.live(days=8, until=NIGHT + 3 * DAY)
    (house.folder / "support" / ".making-killed").mkdir(parents=True)
    (house.folder / "support" / "orphan.html").write_text("orphan")
    for night in range(4):
        house.clock.instant = NIGHT + night * DAY
        loop.step()
    assert house.pages() == ["page 3", "page 4"]
    assert not list(house.folder.rglob(".making-*"))
    assert [made.distances for made in house.kept()] == [{"topic": 0.1}] * 4
    assert [made.path is not None for made in house.kept()] == [True, True, False, False]


def test_switched_off_it_makes_nothing(house: House) -> None:
    loop = house.loop(enabled=False)
    house.live(days=3)
    house.clock.instant = NIGHT
    assert (loop.step(), house.kept()) == (0, [])


def test_the_real_process_measures_what_is_stored(house: House) -> None:
    loop = house.loop()
    loop._worker = run_worker
    house.live(days=3)
    house.clock.instant = NIGHT
    assert loop.step() == 1
    (made,) = house.kept()
    assert made.reason == "180 calls were compared"
    assert made.distances["latency_ms"] == pytest.approx(0.0, abs=0.01)
    assert made.counts["output_language"] == (120, 60)
    assert made.path is not None
    page = (house.folder / made.path).read_text()
    assert "weather" not in page
    assert "latency_ms" in page


def drifting(night: int) -> dict[str, float | None]:
    """Return distances that increase after forty nights."""
    return {"topic": (0.5 if night >= 40 else 0.1) + 0.001 * (night * 7 % 5)}


def test_traffic_that_drifts_is_told_once_as_a_hint_and_is_usual_the_night_after(house: House) -> None:
    loop = house.loop()
    house.live(days=95, until=NIGHT + 65 * DAY)
    for night in range(60):
        house.clock.instant = NIGHT + night * DAY
        house.workers.distances = drifting(night)
        loop.step()
    with house.store.read() as tx:
        result = [(f.verdict, f.severity) for f in reversed(findings.page(tx, PageQuery(limit=500)).items)]
    assert result == [
        (Verdict.INSUFFICIENT, "info"),
        (Verdict.OK, "info"),
        (Verdict.DRIFT, "info"),
        (Verdict.OK, "info"),
    ]
