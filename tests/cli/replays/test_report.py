from pathlib import Path
from typing import Any

from monitor.api.schema import ListPage, ReportItem
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.items import AT


def report(**fields: Any) -> ReportItem:
    known = {
        "id": "traffic-report-1",
        "deployment": "support",
        "kind": "traffic",
        "at": AT,
        "reference_since": AT,
        "since": AT,
        "until": AT,
        "state": "made",
        "reason": "600 calls were compared",
        "page": True,
        "sha256": "ab",
        "bytes": 3,
        "distances": {"category": None, "latency_ms": 0.125, "topic": 0.5},
        "counts": {"category": (0, 0), "latency_ms": (500, 100), "topic": (500, 99)},
        "evidence": {
            "verdict": "drift",
            "missing": 0,
            "onset": "2026-11-19T04:00:00+00:00",
            "columns": {"latency_ms": 9.5, "topic": -1.25},
        },
    }
    return ReportItem.model_validate({**known, **fields})


def test_reports_are_listed_with_their_verdicts(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/reports", ListPage(items=[report(), report(id="b", evidence={})], next_cursor=None))
    out = run("report", "traffic", "--deployment", "support", "--url", daemon.url).out
    assert "made   drift    600 calls were compared" in out
    assert "made   -        600 calls were compared" in out
    assert daemon.asked[-1].query["deployment"] == "support"


def test_without_reports_it_reports_it(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/reports", ListPage(items=[], next_cursor=None))
    assert run("report", "traffic", "--url", daemon.url).out == "no report yet\n"


def test_a_report_shows_its_columns_by_their_evidence_and_where_its_page_is(daemon: Daemon, run: Run) -> None:
    daemon.respond("GET /api/v1/reports/traffic-report-1", report())
    out = run("report", "show", "traffic-report-1", "--url", daemon.url).out
    assert "driftd report show traffic-report-1 --html FILE" in out
    assert "2026-11-19T04:00:00+00:00" in out
    lines = [line.split() for line in out.splitlines()[-3:]]
    assert lines == [
        ["latency_ms", "0.125", "500", "100", "9.500"],
        ["topic", "0.500", "500", "99", "-1.250"],
        ["category", "-", "0", "0", "-"],
    ]


def test_the_first_nights_say_how_many_are_missing(daemon: Daemon, run: Run) -> None:
    young = report(page=False, evidence={"verdict": "insufficient", "missing": 3, "columns": {}})
    daemon.respond("GET /api/v1/reports/traffic-report-1", young)
    out = run("report", "show", "traffic-report-1", "--url", daemon.url).out
    assert "insufficient, 3 windows are missing" in out
    assert "page           -" in out


def test_the_page_of_a_report_is_written_to_a_file(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    daemon.respond("GET /api/v1/reports/traffic-report-1", report())
    daemon.respond("GET /api/v1/reports/traffic-report-1/page", b"<html>drift</html>")
    page = tmp_path / "page.html"
    assert run("report", "show", "traffic-report-1", "--html", page, "--url", daemon.url).code == 0
    assert page.read_bytes() == b"<html>drift</html>"
    failed = run("report", "show", "traffic-report-1", "--html", tmp_path / "no" / "page.html", "--url", daemon.url)
    assert (failed.code, "cannot be written" in failed.err) == (2, True)
