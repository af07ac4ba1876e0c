from datetime import timedelta
from typing import Any

import pytest

from monitor.domain.feedback import FeedbackKind
from monitor.domain.interaction import ContentState, Origin, Status
from monitor.domain.traffic_report import TrafficReport, TrafficReportKind, TrafficReportState
from monitor.errors import NotFound
from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.engine.schema import CALLS
from monitor.store.findings import traffic_reports
from monitor.store.traffic import feedback, interactions
from tests.store import build
from tests.store.build import START, assistant, at, user

LATER = START + timedelta(days=1)


def traffic_report(number: int = 1, **fields: Any) -> TrafficReport:
    defaults: dict[str, Any] = {
        "id": f"traffic-report-{number}",
        "deployment": "support",
        "kind": TrafficReportKind.TRAFFIC,
        "at": at(number),
        "reference_since": START - timedelta(days=28),
        "since": START,
        "until": at(number),
        "state": TrafficReportState.MADE,
        "reason": "measured",
        "path": f"support/traffic-report-{number}.html",
        "sha256": "ab",
        "bytes": 3,
        "distances": {"topic": 0.1, "category": None},
        "counts": {"topic": (900, 300), "category": (0, 0)},
        "evidence": {"verdict": "ok"},
    }
    return TrafficReport(**defaults | fields)


def call(tx: Tx, **fields: Any) -> dict[str, Any]:
    """A logged call as a traffic report reads it."""
    interactions.insert(tx, [build.interaction("call", **fields)])
    table = traffic_reports.calls(tx, "support", {"now": (START, LATER)}, max_calls=10)
    assert table.schema == CALLS
    (row,) = table.to_pylist()
    return dict(row)


def test_a_traffic_report_comes_back_as_it_went_in(tx: Tx) -> None:
    traffic_reports.insert(tx, traffic_report())
    assert traffic_reports.get(tx, "traffic-report-1") == traffic_report()
    assert traffic_reports.page(tx, PageQuery(deployment="support")).items == [traffic_report()]
    assert traffic_reports.page(tx, PageQuery(deployment="other")).items == []


def test_an_unknown_one_says_where_the_known_ones_are(tx: Tx) -> None:
    with pytest.raises(NotFound, match=r"GET /api/v1/reports lists"):
        traffic_reports.get(tx, "traffic-report-7")


def test_what_was_measured_is_told_in_the_order_of_time(tx: Tx) -> None:
    for number in (3, 1, 2):
        traffic_reports.insert(tx, traffic_report(number))
    traffic_reports.insert(tx, traffic_report(4, state=TrafficReportState.INSUFFICIENT))
    traffic_reports.insert(tx, traffic_report(5, deployment="search"))
    assert [e.id for e in traffic_reports.measured(tx, "support", 2)] == ["traffic-report-2", "traffic-report-3"]


def test_only_the_newest_pages_stay_and_every_number_does(tx: Tx) -> None:
    for number in range(5):
        traffic_reports.insert(tx, traffic_report(number))
    traffic_reports.insert(tx, traffic_report(9, deployment="search"))
    assert traffic_reports.forget_pages(tx, "support", keep=2) == 3
    assert traffic_reports.paths(tx) == {
        "support/traffic-report-3.html",
        "support/traffic-report-4.html",
        "support/traffic-report-9.html",
    }
    assert traffic_reports.get(tx, "traffic-report-0").distances == traffic_report().distances


def test_what_is_older_than_the_limit_goes_with_its_numbers(tx: Tx) -> None:
    for number in range(3):
        traffic_reports.insert(tx, traffic_report(number))
    assert traffic_reports.expire(tx, at(2)) == 2
    assert [e.id for e in traffic_reports.page(tx, PageQuery()).items] == ["traffic-report-2"]


def test_a_whole_call_is_told_with_its_lengths(tx: Tx) -> None:
    row = call(tx, input_messages=(user("Hallo?"),), output_messages=(assistant("Ja."),), duration_ms=5.0)
    result = (row["input_text"], row["input_chars"], row["output_text"], row["output_chars"], row["latency_ms"])
    assert result == ("Hallo?", 6, "Ja.", 3, 5.0)
    assert (row["window"], row["content"], row["corrected"], row["failure_category"]) == ("now", "full", False, None)


def test_texts_that_did_not_come_are_missing_and_not_empty(tx: Tx) -> None:
    row = call(tx, input_messages=(), output_messages=(), content_state=ContentState.ABSENT)
    assert [row[name] for name in ("input_text", "output_text", "input_chars", "output_chars")] == [None] * 4


def test_an_answer_that_is_empty_has_no_characters(tx: Tx) -> None:
    row = call(tx, output_messages=(assistant(""),))
    assert (row["output_text"], row["output_chars"]) == ("", 0)


def test_a_call_that_failed_has_no_answer(tx: Tx) -> None:
    row = call(tx, output_messages=(), status=Status.ERROR)
    assert (row["output_text"], row["output_chars"]) == (None, None)


def test_of_a_partial_call_the_part_that_is_there_counts(tx: Tx) -> None:
    row = call(tx, output_messages=(), content_state=ContentState.PARTIAL)
    assert (row["input_chars"], row["output_text"]) == (len("Is 7 prime?"), None)


def test_the_length_of_a_text_that_was_cut_is_not_known(tx: Tx) -> None:
    row = call(tx, content_state=ContentState.TRUNCATED)
    assert (row["input_text"], row["input_chars"], row["output_chars"]) == ("Is 7 prime?", None, None)


def test_a_long_text_is_cut_and_its_length_is_not(tx: Tx) -> None:
    row = call(tx, input_messages=(user("x" * 5_000),))
    assert (len(row["input_text"]), row["input_chars"]) == (traffic_reports.TEXT_CHARS, 5_000)


def test_replays_sealed_questions_and_other_deployments_are_no_traffic(tx: Tx) -> None:
    rows = [
        build.interaction("replay", origin=Origin.REPLAY),
        build.interaction("sealed", origin=Origin.SEALED_MATCH),
        build.interaction("other", deployment="search"),
        build.interaction("late", started_at=LATER),
        build.interaction("here"),
    ]
    interactions.insert(tx, rows)
    table = traffic_reports.calls(tx, "support", {"now": (START, LATER)}, max_calls=10)
    assert table["id"].to_pylist() == ["here"]
    before = START - timedelta(days=1)
    counts = traffic_reports.count_calls(tx, "support", reference_since=before, since=START, until=LATER)
    assert (counts.reference, counts.now) == (0, 1)


def test_no_more_calls_are_taken_than_asked_for_and_always_the_same(tx: Tx) -> None:
    interactions.insert(tx, [build.interaction(f"call-{n}", started_at=at(n)) for n in range(30)])
    windows = {"reference": (at(0), at(15)), "now": (at(15), at(30))}
    table = traffic_reports.calls(tx, "support", windows, max_calls=5)
    assert table["window"].to_pylist() == ["reference"] * 5 + ["now"] * 5
    assert traffic_reports.calls(tx, "support", windows, max_calls=5) == table


def test_linked_feedback_tells_whether_and_how_an_answer_was_wrong(tx: Tx) -> None:
    interactions.insert(tx, [build.interaction("good"), build.interaction("wrong")])
    linked = {"linked_interaction_id": "wrong", "link_method": "interaction_id", "is_correction": True}
    signals = [
        build.feedback("f1", kind=FeedbackKind.REPORT, failure_category="tone", **linked),
        build.feedback("f2", is_correction=False, linked_interaction_id="good", link_method="interaction_id"),
    ]
    feedback.insert(tx, signals)
    table = traffic_reports.calls(tx, "support", {"now": (START, LATER)}, max_calls=5)
    result = {row["id"]: (row["corrected"], row["failure_category"]) for row in table.to_pylist()}
    assert result == {"good": (False, None), "wrong": (True, "tone")}
