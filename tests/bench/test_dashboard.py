"""The measurement of the dashboard, on a small store."""

from typing import Any

import pytest

from bench.dashboard_study.answers import distinct, quantile
from bench.dashboard_study.pages import page_names
from bench.dashboard_study.relay import Exchange, round_trips
from bench.dashboard_study.report import markdown, missed, report


def exchange(began_s: float, ended_s: float) -> Exchange:
    return Exchange(target="/x", began_s=began_s, ended_s=ended_s)


def test_requests_one_after_another_are_as_many_round_trips() -> None:
    assert round_trips([exchange(0, 1), exchange(1, 2), exchange(2.5, 3)]) == 3


def test_requests_at_the_same_time_are_one_round_trip() -> None:
    assert round_trips([exchange(0, 1), exchange(0.1, 3), exchange(0.2, 0.9)]) == 1
    assert round_trips([]) == 0


@pytest.mark.parametrize(("share", "value"), [(0.5, 10), (0.95, 19), (1.0, 20), (0.0, 1)])
def test_a_quantile_is_a_measured_value(share: float, value: int) -> None:
    assert quantile(list(range(1, 21)), share) == value


def test_requests_that_differ_in_time_or_cursor_are_measured_once() -> None:
    asked = [
        ("/api/v1/runs?deployment=bot&since=2026-01-01", "overview"),
        ("/api/v1/runs?since=2026-01-02&deployment=bot", "compare"),
        ("/api/v1/runs?deployment=shop&since=2026-01-01", "overview"),
    ]
    assert distinct(asked) == {asked[0][0]: {"overview", "compare"}, asked[2][0]: {"overview"}}


def measurement(p95_ms: float, whole_ms: float, again_ms: float = 600.0) -> dict[str, Any]:
    answer = {"target": "/a", "pages": ["overview"], "status": 200, "bytes": 9, "first_ms": 9.0, "p50_ms": 8.0}
    answer["cpu_ms"] = 7.0
    page = {"page": "overview", "first_ms": 500, "requests": 3, "round_trips": 2, "waited_ms": 40, "error": False}
    return {
        "size": {"calls": 10, "runs": 2, "outcomes": 4},
        "rounds": 3,
        "load": 0.5,
        "reference": answer,
        "answers": [answer | {"p95_ms": p95_ms, "ratio": 1.0}],
        "pages": [page | {"whole_ms": whole_ms, "again_ms": again_ms}],
    }


def test_the_report_names_what_misses_its_limit() -> None:
    assert missed(measurement(300.0, 2_000.0)) == []
    assert missed(measurement(301.0, 2_001.0)) == ["/a: 301 ms", "page overview: whole after 2001 ms"]
    assert missed(measurement(300.0, 2_000.0, 701.0)) == ["page overview: again whole after 701 ms"]
    assert "*/a" in report(measurement(301.0, 2_001.0))


def test_a_download_has_no_limit_but_is_reported() -> None:
    measured = measurement(4_000.0, 900.0)
    [answer] = measured["answers"]
    answer["target"] = "/api/v1/histories?deployment=bot"
    assert missed(measured) == []
    assert "4000" in report(measured)


def test_the_tables_of_the_documentation_have_the_slowest_answers_and_every_page() -> None:
    text = markdown(measurement(301.0, 900.0), 5)
    assert "| `/a` | 301 | 8 | 7 |" in text
    assert "| overview | 500 | 900 | 600 | 3 | 2 |" in text


def test_every_page_is_opened_and_those_that_show_one_thing_with_it() -> None:
    names = page_names()
    assert names[0] == ""
    assert {"account", "cases", "sets", "system"} <= set(names)
    assert {"sets?set=private", "cases?deployment=bot&set=private&case=case-7"} <= set(names)
