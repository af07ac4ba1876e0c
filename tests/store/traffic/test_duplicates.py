"""Duplicates of a call in other requests."""

import threading
from datetime import timedelta
from typing import Any

from monitor.domain.interaction import Interaction
from monitor.store.engine.database import Tx
from monitor.store.engine.schema import TABLES, table_from
from monitor.store.traffic import duplicates, interactions
from monitor.store.traffic.interaction_codec import interaction_columns
from tests.store.build import START, at, interaction

GRACE = timedelta(minutes=10)
MANY = 130_000  # rows of more than one row group
PATIENCE_S = 30.0  # the search takes less than a second
TRACE = "t"


def call(id_: str, **fields: Any) -> Interaction:
    defaults: dict[str, Any] = {"source": "otlp", "convention": "otel-genai", "trace_id": TRACE, "span_id": id_}
    return interaction(id_, **defaults | {"duration_ms": 1000.0} | fields)


def mark(tx: Tx, since_minutes: float = -10) -> dict[str, str]:
    found = duplicates.find(tx, since=at(since_minutes), calls_since=START - GRACE)
    duplicates.mark(tx, found, since=START - 2 * GRACE)
    return dict(found)


def duplicate_of(tx: Tx, id_: str) -> str | None:
    found = interactions.get(tx, id_)
    assert found is not None
    return found.duplicate_of


def test_a_report_with_the_same_response_in_an_unrelated_trace_counts_for_nothing(tx: Tx) -> None:
    interactions.insert(tx, [call("a", response_id="r")])
    assert mark(tx) == {}
    later = START + timedelta(milliseconds=20)
    interactions.insert(tx, [call("b", trace_id="u", response_id="r", started_at=later, duration_ms=900.0)])
    assert mark(tx) == {"b": "a"}
    assert (duplicate_of(tx, "a"), duplicate_of(tx, "b")) == (None, "a")
    assert interactions.count(tx) == 1
    assert mark(tx) == {}, "a marked duplicate is not processed again"


def test_reports_without_an_id_are_told_by_time_and_texts(tx: Tx) -> None:
    inner = {"started_at": START + timedelta(milliseconds=5), "duration_ms": 500.0, "trace_id": "u"}
    interactions.insert(tx, [call("a", response_id="r"), call("b", **inner), call("c", **inner | {"trace_id": "v"})])
    assert mark(tx) == {"b": "a", "c": "a"}


def test_the_same_question_asked_twice_at_once_stays_two_calls(tx: Tx) -> None:
    interactions.insert(tx, [call("a"), call("b", trace_id="u", duration_ms=500.0)])
    assert mark(tx) == {}


def test_only_what_is_new_is_looked_at(tx: Tx) -> None:
    both = [call("a", response_id="r"), call("b", trace_id="u", response_id="r")]
    interactions.insert(tx, both)
    assert mark(tx, since_minutes=1) == {}
    assert mark(tx) == {"b": "a"}


def test_a_double_of_what_is_no_longer_kept_follows(tx: Tx) -> None:
    interactions.insert(tx, [call("a", duplicate_of="b"), call("b", response_id="r", span_id="b")])
    interactions.insert(tx, [call("first", trace_id="u", response_id="r", input_tokens=3)])
    assert mark(tx) == {"b": "first"}
    assert duplicate_of(tx, "a") == "first"


def test_the_search_ends_when_many_calls_arrived_within_the_grace_period(tx: Tx) -> None:
    """DuckDB 2.0.0 never ends a LIMIT over the join of a materialized CTE with itself, from about 65,000 rows on."""
    columns = {name: list(values) * MANY for name, values in interaction_columns([call("a")]).items()}
    numbered = [f"{number:032x}" for number in range(MANY)]
    columns |= {"id": numbered, "trace_id": numbered, "span_id": numbered, "response_id": numbered}
    tx.insert("interaction", table_from(TABLES["interaction"], columns))
    interactions.insert(tx, [call("same", response_id=numbered[0], duration_ms=900.0)])
    alarm = threading.Timer(PATIENCE_S, tx._cursor.interrupt)  # the error of the interruption fails the test
    alarm.start()
    try:
        assert mark(tx) == {"same": numbered[0]}
    finally:
        alarm.cancel()
