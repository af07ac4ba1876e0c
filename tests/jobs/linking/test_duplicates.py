"""The reports of one call in the store: one row counts and has the values of all reports, in any order of arrival."""

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.domain.interaction import CostSource, FinishReason, Interaction, SpanContent, Status
from monitor.domain.reports import Report
from monitor.domain.span_link import SpanLink
from monitor.jobs.linking.duplicates import GRACE, DuplicateStep
from monitor.jobs.linking.join import JoinStep
from monitor.store.engine.database import Store
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import interactions
from monitor.store.traffic.late_texts import insert_content
from monitor.store.traffic.trace_calls import insert_links
from tests.domain.traces import Made, trace
from tests.store.build import START, HandClock, assistant, interaction, span_content, user

OUTER: dict[str, Any] = {"input_tokens": 12, "output_tokens": 3, "response_id": "r-1", "prompt_id": "support"}


@dataclass
class Bench:
    """A store with its join step. `arrive` stores one request, `rows` returns all rows."""

    store: Store
    clock: HandClock
    joining: JoinStep

    def arrive(self, *rows: Interaction | SpanLink | SpanContent) -> None:
        now = self.clock.now()
        with self.store.write() as tx:
            interactions.insert(tx, [replace(r, received_at=now) for r in rows if isinstance(r, Interaction)])
            insert_links(tx, [r._replace(received_at=now) for r in rows if isinstance(r, SpanLink)])
            insert_content(tx, [replace(r, received_at=now) for r in rows if isinstance(r, SpanContent)])
        self.clock.seconds += 20
        self.joining.step()

    def rows(self, prefix: str = "") -> dict[str, Interaction]:
        with self.store.read() as tx:
            found = interactions.page(tx, PageQuery(limit=1000)).items
        return {row.id.removeprefix(prefix): row for row in found if row.id.startswith(prefix)}


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    clock = HandClock()
    store = Store.open(tmp_path / "driftd.duckdb", clock=clock)
    yield Bench(store, clock, JoinStep(store, clock, lambda item: item.response_model))
    store.close()


def call(id_: str, parent: str | None = None, **fields: Any) -> Interaction:
    defaults: dict[str, Any] = {"source": "otlp", "convention": "openinference", "trace_id": "t", "span_id": id_}
    return interaction(id_, **defaults | {"parent_span_id": parent, "duration_ms": 1000.0} | fields)


def bare(id_: str, parent: str | None = None, **fields: Any) -> Interaction:
    """Return a call whose instrumentation sends no texts."""
    return call(id_, parent, input_messages=(), output_messages=(), **fields)


def link(id_: str, parent: str, *, is_tool: bool = False) -> SpanLink:
    return SpanLink("t", id_, parent, is_tool, START)


def in_any_order(bench: Bench, rows: Sequence[Any], check: Callable[[dict[str, Interaction]], None]) -> None:
    for row in random.Random(len(rows)).sample(rows, len(rows)):
        bench.arrive(row)
    check(bench.rows())


@pytest.mark.parametrize("outer_first", [True, False])
def test_the_inner_report_is_kept_and_filled_from_the_outer_one(bench: Bench, *, outer_first: bool) -> None:
    result = call("outer", **OUTER, finish_reason=FinishReason.STOP, response_model="gpt-4o")
    rows = [result, bare("inner", "outer", response_model="gpt-4o-2024", input_tokens=11)]
    for row in rows if outer_first else reversed(rows):
        bench.arrive(row)
    found = bench.rows()
    inner = found["inner"]
    assert (found["outer"].duplicate_of, inner.duplicate_of) == ("inner", None)
    assert (inner.input_tokens, inner.output_tokens, inner.response_id, inner.prompt_id) == (11, 3, "r-1", "support")
    assert (inner.input_text, inner.output_text, inner.finish_reason) == ("Is 7 prime?", "Yes.", FinishReason.STOP)
    assert (inner.response_model, inner.identity) == ("gpt-4o-2024", "gpt-4o-2024")
    assert found["outer"].input_tokens == 12, "the values of the other report are kept with it"
    with bench.store.read() as tx:
        assert interactions.count(tx) == 1


def test_what_was_filled_is_taken_back_when_a_later_span_shows_another_call(bench: Bench) -> None:
    failed = bare("first", "wrapper", status=Status.ERROR, error_type="RateLimitError", error_class="rate_limit")
    wrapper = call("wrapper", **OUTER, status=Status.ERROR, duration_ms=5000.0)
    later = {"started_at": START + timedelta(seconds=2), "status": Status.ERROR}
    bench.arrive(failed, wrapper)
    assert bench.rows()["first"].input_text == "Is 7 prime?"
    bench.arrive(bare("second", "wrapper", **later))
    found = bench.rows()
    assert (found["first"].input_text, found["first"].response_id) == ("", None)
    assert (found["second"].input_text, found["second"].response_id) == ("Is 7 prime?", "r-1")
    assert {id_ for id_, row in found.items() if row.duplicate_of is None} == {"first", "second"}


def test_a_nearer_report_that_comes_later_fills_before_one_further_out(bench: Bench) -> None:
    bench.arrive(bare("inner", "middle"), call("outer", **OUTER))
    assert bench.rows()["inner"].response_id is None, "nothing connects them yet"
    middle = {"started_at": START + timedelta(milliseconds=1), "input_tokens": 7}
    bench.arrive(call("middle", "outer", **middle))
    found = bench.rows()
    assert (found["inner"].input_tokens, found["inner"].output_tokens) == (7, 3)
    assert (found["outer"].duplicate_of, found["middle"].duplicate_of) == ("inner", "inner")


def test_a_link_that_comes_last_connects_what_it_is_between(bench: Bench) -> None:
    bench.arrive(call("outer"), bare("inner", "step"))
    assert bench.rows()["outer"].duplicate_of is None
    bench.arrive(link("step", "outer"))
    assert bench.rows()["outer"].duplicate_of == "inner"


def test_a_tool_keeps_the_calls_in_it_apart_whenever_its_span_comes(bench: Bench) -> None:
    rows = [call("outer"), bare("inner", "chain"), link("chain", "tool"), link("tool", "outer", is_tool=True)]

    def both_count(found: dict[str, Interaction]) -> None:
        assert {row.duplicate_of for row in found.values()} == {None}
        assert found["inner"].output_text == ""

    in_any_order(bench, rows, both_count)


def test_texts_that_come_after_they_were_filled_replace_what_filled_them(bench: Bench) -> None:
    bench.arrive(call("outer"), bare("inner", "outer"))
    assert bench.rows()["inner"].output_text == "Yes."
    own = span_content("t", span_id="inner", input_messages=(user("7?"),), output_messages=(assistant("Sure."),))
    bench.arrive(own)
    bench.joining.step()
    inner = bench.rows()["inner"]
    assert (inner.input_text, inner.output_text) == ("7?", "Sure.")


def test_each_deployment_counts_its_own_report_of_a_call(bench: Bench) -> None:
    bench.arrive(call("app"), call("gateway", "app", deployment="gateway"), call("provider", "gateway"))
    found = bench.rows()
    assert {id_: row.duplicate_of for id_, row in found.items()} == {
        "app": "provider",
        "gateway": None,
        "provider": None,
    }


def test_a_cost_that_was_told_takes_the_place_of_a_computed_one(bench: Bench) -> None:
    result = call("outer", cost_usd=0.5, cost_source=CostSource.EMITTED)
    bench.arrive(result, call("inner", "outer", cost_usd=0.4, cost_source=CostSource.COMPUTED, price_table="v1"))
    inner = bench.rows()["inner"]
    assert (inner.cost_usd, inner.cost_source, inner.price_table) == (0.5, CostSource.EMITTED, None)


def test_a_note_gives_a_stream_its_answer_and_its_end(bench: Bench) -> None:
    request = call("request", "app", output_messages=(), duration_ms=20.0)
    note = call("note", "app", started_at=START + timedelta(seconds=2), duration_ms=0.0, output_tokens=9)
    bench.arrive(note)
    bench.arrive(request)
    found = bench.rows()
    assert found["note"].duplicate_of == "request"
    kept = found["request"]
    assert (kept.output_text, kept.output_tokens, kept.duration_ms) == ("Yes.", 9, 2000.0)


def test_a_call_that_is_kept_in_one_of_another_trace_takes_its_inner_report_along(bench: Bench) -> None:
    elsewhere = call("twin", trace_id="u", response_id="r-1", input_tokens=12, started_at=START - timedelta(seconds=1))
    bench.arrive(elsewhere, call("outer", **OUTER))
    assert bench.rows()["outer"].duplicate_of == "twin"
    bench.arrive(bare("inner", "outer"))
    bench.clock.seconds += 60
    bench.joining.step()
    assert {id_ for id_, row in bench.rows().items() if row.duplicate_of is None} == {"twin"}


def test_many_traces_are_looked_at_in_pieces(bench: Bench) -> None:
    for trace_id in "tuvwxyz":
        asked: dict[str, Any] = {"trace_id": trace_id, "input_messages": (user(f"What is {trace_id}?"),)}
        rows = [call("outer", **asked), call("inner", "outer", **asked)]
        with bench.store.write() as tx:
            interactions.insert(tx, [replace(row, id=f"{trace_id}:{row.id}") for row in rows])
    steps = DuplicateStep(bench.store, lambda item: item.response_model, together=3)
    with bench.store.read() as tx:
        changed = steps.changed_traces(tx, START, START - GRACE)
    steps.join(changed, START)
    assert {id_ for id_, row in bench.rows().items() if row.duplicate_of is None} == {f"{t}:inner" for t in "tuvwxyz"}
    with bench.store.read() as tx:
        assert steps.changed_traces(tx, START, START - GRACE) == {}, "nothing has arrived since"


def test_what_was_decided_is_not_written_again(bench: Bench) -> None:
    bench.arrive(call("outer", **OUTER), bare("inner", "outer"))
    assert bench.joining.step() == 0
    again = JoinStep(bench.store, bench.clock, lambda item: item.response_model)
    assert again.step() == 0, "not after a restart either"


def made_rows(made: Made, prefix: str, shift: timedelta) -> list[Interaction | SpanLink]:
    calls = [_call_of(report, prefix, shift) for report in made.reports]
    links = [
        SpanLink(prefix, id_, of.parent_span_id, of.is_tool, START)
        for id_, of in made.links.items()
        if of.parent_span_id is not None
    ]
    return [*calls, *links]


def _call_of(report: Report, prefix: str, shift: timedelta) -> Interaction:
    return interaction(
        f"{prefix}{report.id}",
        trace_id=prefix,
        span_id=report.span_id,
        parent_span_id=report.parent_span_id,
        source="otlp",
        convention=report.convention,
        status=report.status,
        started_at=report.started_at + shift,
        duration_ms=(report.ended_at - report.started_at).total_seconds() * 1000,
        response_id=f"{prefix}{report.response_id}" if report.response_id else None,
        input_messages=(user(report.inputs),) if report.inputs else (),
        output_messages=(assistant(report.outputs),) if report.outputs else (),
        input_tokens=len(report.id) if report.counted else None,
        temperature=int(report.id[1:]) / 1000,
        provider=f"by {report.id}",
    )


def plain(row: Interaction, prefix: str, shift: timedelta) -> Interaction:
    """Return a row without the values that differ between two requests with one trace."""
    return replace(
        row,
        id=row.id.removeprefix(prefix),
        trace_id="t",
        received_at=START,
        started_at=row.started_at - shift,
        duplicate_of=row.duplicate_of and row.duplicate_of.removeprefix(prefix),
        response_id=row.response_id and row.response_id.removeprefix(prefix),
    )


@given(seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_random_traces_end_with_the_same_rows_whatever_arrives_first(bench: Bench, seed: int) -> None:
    rng = random.Random(seed)
    made = trace(rng)
    sent: list[dict[str, Interaction]] = []
    for pieces in (1, rng.randint(2, 8)):
        bench.clock.seconds += 3 * GRACE.total_seconds()
        prefix, shift = f"{bench.clock.seconds:012.0f}-", timedelta(seconds=bench.clock.seconds)
        rows = made_rows(made, prefix, shift)
        rng.shuffle(rows)
        for piece in range(pieces):
            bench.arrive(*rows[piece::pieces])
        sent.append({id_: plain(row, prefix, shift) for id_, row in bench.rows(prefix).items()})
    assert sent[0] == sent[1]
    assert {id_ for id_, row in sent[0].items() if row.duplicate_of is None} == made.asked
