"""A stream with two root spans in two traces: a request, and a note of its end."""

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.domain.interaction import FinishReason, Interaction
from monitor.domain.stream_notes import StreamReport, noted_requests
from monitor.ingest.conventions.table import CONVENTIONS
from monitor.ingest.otlp.decode import decode
from monitor.ingest.otlp.protobuf import read_traces
from monitor.ingest.spans import OtlpRequest
from monitor.store.traffic import interactions
from tests.ingest.build import NOW
from tests.ingest.captures import captures
from tests.ingest.pipeline import RULES
from tests.jobs.linking.test_duplicates import Bench, bench, call, link
from tests.store.build import START, assistant, user

__all__ = ["bench"]
SECOND = timedelta(seconds=1)


def request(id_: str, at_s: float = 0, **fields: Any) -> Interaction:
    shape: dict[str, Any] = {"trace_id": f"trace-{id_}", "output_messages": (), "duration_ms": 20.0}
    return call(id_, started_at=START + at_s * SECOND, **shape | fields)


def note(id_: str, at_s: float = 2, **fields: Any) -> Interaction:
    shape: dict[str, Any] = {"trace_id": f"trace-{id_}", "duration_ms": 0.0, "output_tokens": 9}
    return call(id_, started_at=START + at_s * SECOND, **shape | fields)


def counted(bench: Bench) -> set[str]:
    return {id_ for id_, row in bench.rows().items() if row.duplicate_of is None}


@pytest.mark.parametrize("note_first", [True, False])
def test_the_note_gives_the_request_its_answer_and_its_end(bench: Bench, *, note_first: bool) -> None:
    rows = [request("request"), note("note", finish_reason=FinishReason.STOP)]
    for row in reversed(rows) if note_first else rows:
        bench.arrive(row)
    found = bench.rows()
    assert (found["request"].duplicate_of, found["note"].duplicate_of) == (None, "request")
    kept = found["request"]
    assert (kept.output_text, kept.output_tokens, kept.finish_reason) == ("Yes.", 9, FinishReason.STOP)
    assert kept.duration_ms == 2000.0
    bench.clock.seconds += 60
    assert bench.joining.step() == 0, "what was decided is not written again"


def test_a_streamed_tool_call_has_no_text_and_is_an_answer(bench: Bench) -> None:
    calls = replace(assistant(""), tool_calls=())
    bench.arrive(request("request"), note("note", output_messages=(calls,)))
    assert counted(bench) == {"request"}


@pytest.mark.parametrize(
    "other",
    [
        {"deployment": "other"},
        {"convention": "otel-genai"},
        {"request_model": "another"},
        {"system_prompt": "Be brief."},
        {"input_messages": (user("Is 8 prime?"),)},
        {"parent_span_id": "app"},
        {"duration_ms": 1.0},
        {"started_at": START - SECOND},
        {"response_id": "r-2"},
    ],
)
def test_what_differs_in_one_thing_is_a_call_of_its_own(bench: Bench, other: dict[str, Any]) -> None:
    one = request("request", response_id="r-1" if "response_id" in other else None)
    bench.arrive(one, replace(note("note"), **other))
    assert counted(bench) == {"request", "note"}


def test_a_request_that_was_answered_or_failed_takes_no_note(bench: Bench) -> None:
    answered = request("answered", output_messages=(assistant("No."),))
    bench.arrive(answered, note("note"))
    assert counted(bench) == {"answered", "note"}


def test_two_streams_of_one_question_at_once_are_two_calls(bench: Bench) -> None:
    bench.arrive(request("a"), request("b", 1), note("x", 2), note("y", 3))
    assert counted(bench) == {"a", "b"}
    assert all(row.output_text == "Yes." for row in bench.rows().values())


def test_a_call_in_a_tool_below_the_request_takes_nothing_away(bench: Bench) -> None:
    bench.arrive(request("request"), note("note"))
    tool = replace(call("inner", "tool"), trace_id="trace-request")
    bench.arrive(tool, link("tool", "request", is_tool=True)._replace(trace_id="trace-request"))
    bench.clock.seconds += 30
    bench.arrive(call("later", trace_id="v"))
    assert counted(bench) == {"request", "inner", "later"}
    assert bench.rows()["request"].output_text == "Yes."


def test_what_logfire_sends_of_streams_without_a_span_around_is_one_row_each(bench: Bench) -> None:
    """Spans of real clients, as roots of their own traces."""
    spans = [s for one in captures("logfire-openai") if "stream" in one.scenario for s in read_traces(one.body).spans]
    roots = [
        replace(s, trace_id=f"{place:032x}", parent_span_id=None)
        for place, s in enumerate((s for s in spans if s.parent_span_id), start=1)
    ]
    items = decode(OtlpRequest(spans=tuple(roots)), rules=RULES, conventions=CONVENTIONS, now=NOW).interactions
    assert len(items) == 4
    with bench.store.write() as tx:
        interactions.insert(tx, [replace(item, received_at=bench.clock.now()) for item in items])
    bench.joining.step()
    kept = {row.input_text: row for row in bench.rows().values() if row.duplicate_of is None}
    assert {text: row.output_text for text, row in kept.items()} == {
        "How can I reset my password?": 'Open Settings > Security and choose "Reset password".',
        "Do you ship to Norway?": "Yes, within five working days.",
    }
    assert {row.finish_reason for row in kept.values()} == {FinishReason.STOP}


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 3), st.integers(0, 20)), max_size=12))
def test_each_note_has_one_request_before_it_with_the_same_content(rows: list[tuple[bool, int, int]]) -> None:
    stream_reports = [
        StreamReport(id=str(n), is_note=is_note, input_key=f"q{asked}", started_at=START + at * SECOND)
        for n, (is_note, asked, at) in enumerate(rows)
    ]
    by_id = {half.id: half for half in stream_reports}
    found = noted_requests(stream_reports)
    assert len(set(found.values())) == len(found), "a request has one note"
    for note_id, request_id in found.items():
        one, other = by_id[note_id], by_id[request_id]
        assert (one.is_note, other.is_note, one.input_key) == (True, False, other.input_key)
        assert other.started_at <= one.started_at
    assert noted_requests(reversed(stream_reports)) == found
    left = [half for half in stream_reports if half.is_note and half.id not in found]
    free = [half for half in stream_reports if not half.is_note and half.id not in found.values()]
    assert not [1 for n in left for r in free if n.input_key == r.input_key and r.started_at <= n.started_at]
