"""The spans of a trace that record the same call: the diagrams of docs/connect.md, and random trees."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.call_tree import Link, nested_calls
from monitor.domain.interaction import Status
from monitor.domain.reports import Report
from monitor.domain.trace_calls import TraceCalls, trace_calls
from tests.domain.traces import call, trace
from tests.properties import examples

FAILED = Status.ERROR


def kept_in(*reports: Report, links: Mapping[str, Link] | None = None) -> dict[str, str]:
    return {id_: same.kept.id for id_, same in nested_calls(reports, links or {}).items()}


def test_a_framework_span_around_a_provider_span_is_the_same_call_with_any_texts() -> None:
    assert kept_in(call("framework"), call("provider", "framework")) == {"framework": "provider"}
    assert kept_in(call("a"), call("b", "a"), call("c", "b")) == {"a": "c", "b": "c"}


def test_a_failed_call_is_the_failed_call_inside_it() -> None:
    bare: dict[str, Any] = {"status": FAILED, "inputs": "", "outputs": ""}
    assert kept_in(call("framework", **bare), call("provider", "framework", **bare)) == {"framework": "provider"}


def test_an_answer_never_fills_a_failed_attempt() -> None:
    failed, answered = call("first", "wrapper", status=FAILED), call("second", "wrapper", starts_ms=100)
    assert kept_in(call("wrapper"), failed) == {}, "the fallback is not there, or not yet"
    assert kept_in(call("wrapper"), failed, answered) == {"wrapper": "second"}
    assert nested_calls([call("wrapper"), failed, answered], {})["wrapper"].fills


def test_of_failed_attempts_the_last_is_the_failure_of_the_outer_call() -> None:
    attempts = [call(f"attempt{n}", "wrapper", starts_ms=n, status=FAILED) for n in range(3)]
    assert kept_in(call("wrapper", status=FAILED), *attempts) == {"wrapper": "attempt2"}


def test_a_span_with_several_calls_is_the_last_of_them_and_fills_none() -> None:
    found = nested_calls([call("maker"), call("a", "maker"), call("b", "maker", starts_ms=100)], {})
    assert (found["maker"].kept.id, found["maker"].fills) == ("b", False)


def test_texts_select_one_of_several_answers() -> None:
    said: dict[str, Any] = {"inputs": "refund?", "outputs": "30 days"}
    assert kept_in(call("maker", **said), call("a", "maker", **said), call("b", "maker", starts_ms=9)) == {"maker": "a"}
    named = call("maker", response_id="r-a"), call("a", "maker", response_id="r-a"), call("b", "maker", starts_ms=9)
    assert kept_in(*named) == {"maker": "a"}


def test_a_call_in_a_tool_is_a_separate_request() -> None:
    asked = call("asked"), call("within", "tool")
    assert kept_in(*asked, links={"tool": Link("asked", True)}) == {}
    assert kept_in(*asked, links={"tool": Link("asked", False)}) == {"asked": "within"}
    assert kept_in(call("asked"), call("within", "chain"), links={"chain": Link("tool", False)}) == {}


def test_two_ids_are_two_calls_unless_the_texts_agree() -> None:
    said: dict[str, Any] = {"inputs": "refund?", "outputs": "30 days"}
    assert kept_in(call("stream", response_id="r1"), call("meanwhile", "stream", response_id="r2")) == {}
    proxied = call("app", response_id="r1", **said), call("proxy", "app", response_id="r2", **said)
    assert kept_in(*proxied) == {"app": "proxy"}


def test_a_call_that_begins_after_the_outer_call_is_separate() -> None:
    assert kept_in(call("call"), call("afterwards", "call", starts_ms=5000)) == {}


def test_a_note_at_the_end_of_a_stream_has_the_answer_of_its_request() -> None:
    request = call("request", "app", inputs="refund?", outputs="", takes_ms=20)
    note = call("note", "app", starts_ms=900, takes_ms=0, inputs="refund?", outputs="30 days")
    other = call("other", "app", starts_ms=10, inputs="other?", outputs="", takes_ms=20)
    found = nested_calls([request, note, other], {})
    assert {id_: (same.kept.id, same.note) for id_, same in found.items()} == {"note": ("request", True)}
    assert kept_in(request, replace(note, inputs="another?"), other) == {}


def test_a_lazy_stream_is_the_request_after_it() -> None:
    def asked(n: int) -> list[Report]:
        said: dict[str, Any] = {"inputs": "refund?", "outputs": "30 days"}
        lazy = call(f"lazy{n}", "app", starts_ms=500 * n, takes_ms=1, **said)
        return [lazy, call(f"sent{n}", "app", starts_ms=500 * n + 2, takes_ms=60, response_id=f"r{n}", **said)]

    assert trace_calls([*asked(0), *asked(1)], {}).kept_in == {"lazy0": "sent0", "lazy1": "sent1"}


def test_a_cycle_of_spans_ends() -> None:
    circle = [call("a", "b"), call("b", "a"), call("c", "c"), call("d", "x")]
    assert set(kept_in(*circle, links={"x": Link("y", False), "y": Link("x", False)})) <= {"a", "b"}


@given(st.integers(0, 2**32))
@settings(max_examples=examples(300), deadline=None)
def test_in_random_traces_every_call_is_kept_once(seed: int) -> None:
    made = trace(random.Random(seed))
    found = trace_calls(made.reports, made.links)
    assert {r.id for r in made.reports if r.id not in found.kept_in} == made.asked
    assert set(found.kept_in.values()) <= made.asked


@given(st.integers(0, 2**32))
@settings(max_examples=examples(150), deadline=None)
def test_any_order_of_the_same_spans_gives_the_same(seed: int) -> None:
    made, rng = trace(random.Random(seed)), random.Random(seed + 1)
    shuffled = rng.sample(made.reports, len(made.reports))
    links = dict(rng.sample(sorted(made.links.items()), len(made.links)))
    assert trace_calls(shuffled, links) == trace_calls(made.reports, made.links)


@given(st.integers(0, 2**32))
@settings(max_examples=examples(150), deadline=None)
def test_a_duplicate_in_a_part_of_a_trace_is_a_duplicate_in_the_whole(seed: int) -> None:
    made, rng = trace(random.Random(seed)), random.Random(seed + 2)
    arrived = rng.sample(made.reports, rng.randint(0, len(made.reports)))
    links = dict(rng.sample(sorted(made.links.items()), rng.randint(0, len(made.links))))
    assert set(nested_calls(arrived, links)) <= set(nested_calls(made.reports, made.links))


def sources(found: TraceCalls) -> dict[str, Sequence[str]]:
    return {kept: [one.id for one in of] for kept, of in found.sources.items()}


def test_the_nearest_report_fills_first() -> None:
    reports = [call("a"), call("b", "a", starts_ms=1), call("c", "b", starts_ms=2)]
    assert sources(trace_calls(reports, {})) == {"c": ["b", "a"]}
