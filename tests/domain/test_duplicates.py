"""When two reports record one call."""

from datetime import UTC, datetime, timedelta
from itertools import permutations
from typing import Any

import pytest

from monitor.domain.duplicates import Pair, duplicates, same_call
from monitor.domain.interaction import Status
from monitor.domain.reports import Report

START = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)


def report(id_: str, *, starts_ms: float = 0, takes_ms: float = 100, **fields: Any) -> Report:
    started_at = START + timedelta(milliseconds=starts_ms)
    defaults: dict[str, Any] = {"convention": "otel-genai", "status": Status.OK, "inputs": "refund?", "outputs": "yes"}
    return Report(
        id=id_, started_at=started_at, ended_at=started_at + timedelta(milliseconds=takes_ms), **defaults | fields
    )


def within(id_: str, **fields: Any) -> Report:
    return report(id_, starts_ms=10, takes_ms=50, **fields)


def test_one_response_id_at_one_time_is_one_call() -> None:
    assert same_call(Pair(one=report("a", response_id="r"), other=within("b", response_id="r")))
    assert not same_call(Pair(one=report("a", response_id="r"), other=within("b", response_id="q")))
    later = report("b", starts_ms=5000, response_id="r")
    assert not same_call(Pair(one=report("a", response_id="r"), other=later)), "a model that names all answers alike"


def test_calls_in_unrelated_traces_are_one_by_time_texts_and_instrumentation() -> None:
    named = report("a", response_id="r")
    assert same_call(Pair(one=named, other=within("b")))
    assert not same_call(Pair(one=named, other=within("b", outputs="no")))
    assert not same_call(Pair(one=named, other=report("b", starts_ms=50)))
    assert not same_call(Pair(one=report("a"), other=within("b"))), "the application asked the same thing twice at once"
    failed: dict[str, Any] = {"status": Status.ERROR, "outputs": ""}
    assert same_call(
        Pair(
            one=report("a", error_type="openai.RateLimitError", **failed), other=within("b", error_type="429", **failed)
        )
    )


def test_a_call_that_failed_is_not_the_one_that_was_answered() -> None:
    failed = within("b", status=Status.ERROR, convention="openinference", response_id="r")
    assert not same_call(Pair(one=report("a", response_id="r"), other=failed))


def test_the_more_complete_report_is_kept() -> None:
    outer, inner = report("a"), within("b", convention="openinference", response_id="r")
    assert duplicates([Pair(one=outer, other=inner)]) == {"a": "b"}
    assert duplicates([Pair(one=outer, other=within("b", convention="x", counted=True))]) == {"a": "b"}
    assert duplicates([Pair(one=outer, other=within("b", convention="x"))]) == {"b": "a"}


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_three_reports_of_one_call_leave_one_in_any_order(order: tuple[int, ...]) -> None:
    a, b, c = (report(i, starts_ms=n, response_id="r") for n, i in enumerate("abc"))
    pairs = [Pair(one=a, other=b), Pair(one=c, other=b), Pair(one=c, other=a)]
    assert duplicates([pairs[n] for n in order]) == {"b": "a", "c": "a"}
