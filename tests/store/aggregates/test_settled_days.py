"""Stored counts of past days are what their calls and feedback give, whatever changes them."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace as with_fields

import monitor.store
from monitor.domain.feedback import Link, LinkMethod
from monitor.domain.interaction import CostSource, Interaction, Origin, Status
from monitor.domain.policy import RetentionLimit, RetentionPolicy
from monitor.domain.production import ProductionPolicy
from monitor.store.aggregates import day_rollups, rolled_counts, settled_days, traffic_counts
from monitor.store.aggregates.settled_days import DAY, midnight, prices_of
from monitor.store.engine.database import Store, Tx
from monitor.store.maintenance import refusals, retention
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.maintenance.fold import fold
from monitor.store.traffic import (
    current_traffic,
    daily_counts,
    duplicates,
    feedback,
    interactions,
    trace_calls,
)
from monitor.store.traffic.filled_calls import write_filled
from monitor.store.traffic.interaction_row import to_interaction
from monitor.store.turns import rates
from monitor.store.turns.rates import GroupBy
from tests.properties import examples
from tests.store.build import assistant, interaction, undone
from tests.store.build import feedback as signal
from tests.store.traffic.test_daily_counts import POLICY

FIRST = date(2026, 11, 3)
DAYS = [FIRST + DAY * n for n in range(4)]
END = FIRST + DAY * 4
CALLED = replace(POLICY, cost_of_calls=True, input_usd_per_mtok=None, output_usd_per_mtok=None)
POLICIES = (POLICY, CALLED, replace(POLICY, late_days=0))
DEPLOYMENTS = ("support", "search")
SQL = Path(monitor.store.__file__).parent / "sql"
FOLDS = {"fold_feedback_ends", "fold_feedback_links", "fold_feedback_revisions"}  # no reader sees a difference
FOLDS_OF_CALLS = {"fold_interaction_ends", "fold_interaction_revisions"}  # no reader sees a difference
CHANGES_CALLS = {
    *FOLDS_OF_CALLS,
    "expire_interactions",  # retention.expire
    "fill_calls",  # filled_calls.write_filled
    "fill_interactions",  # late_texts.join_content
    "fill_refusal",  # refusals.fill
    "insert_new_interactions",  # interactions.insert
    "remove_interactions",  # erase_user
    "set_duplicate_of",  # duplicates.mark, trace_calls.set_kept_reports
    "set_kept_reports",  # trace_calls.set_kept_reports
    "set_span_context",  # span_context.fill
}
CHANGES_CALL_ENDS = {
    "end_revised_calls",  # call_revisions.revise, after a statement of CHANGES_CALLS
    "forget_interaction_ends",  # fold
}
CHANGES_FEEDBACK = {
    *FOLDS,
    "expire_feedback",  # retention.expire
    "insert_new_feedback",  # feedback.insert
    "remove_feedback_of_interactions",  # erase_user
    "revise_feedback",  # feedback.insert
}
CHANGES_LINKS = {
    "forget_feedback_links",  # fold
    "link_feedback",  # feedback.set_links
}
CHANGES_ENDS = {
    "end_revised_feedback",  # feedback.insert
    "forget_feedback_ends",  # fold
    "retract_feedback",  # feedback.retract
}


def noon(day: int) -> datetime:
    return midnight(FIRST) + timedelta(days=day, hours=12)


def known(tx: Tx) -> Any:
    """Return everything that is read from stored days."""
    counts = [daily_counts.days(tx, name, FIRST, END, policy) for name in DEPLOYMENTS for policy in POLICIES]
    versions = [day_rollups.version_days(tx, name, FIRST, END, 2) for name in DEPLOYMENTS]
    corrected = [
        rates.groups(tx, name, by, since=since, until=until, now=noon(9))
        for name in DEPLOYMENTS
        for by in (GroupBy.ALL, GroupBy.DAY, GroupBy.VERSION)
        for since in (midnight(FIRST), noon(0))
        for until in (midnight(END), noon(2))
    ]
    served = [current_traffic.served_since(tx, name, since) for name in DEPLOYMENTS for since in (noon(0), noon(1))]
    totals, arrived = traffic_counts.totals(tx, DEPLOYMENTS), feedback.correction_days(tx, DEPLOYMENTS, FIRST, END)
    latencies = [day_rollups.latency_bins(tx, name, FIRST, END) for name in DEPLOYMENTS]
    return counts, versions, corrected, served, totals, arrived, latencies


def settle_all(tx: Tx, policy: ProductionPolicy) -> None:
    for day in DAYS:
        settle(tx, day, policy)


def settle(tx: Tx, day: date, policy: ProductionPolicy) -> None:
    settled_days.settle(tx, day, [prices_of(name, policy) for name in DEPLOYMENTS])


def settled(tx: Tx) -> list[date]:
    return [one.day for one in day_rollups.settled_days(tx, "support", FIRST, END)]


def times(call_id: str) -> dict[str, datetime]:
    """Return the times of a call: an id names one call."""
    started = noon(NAMES.index(call_id) % len(DAYS))
    return {"started_at": started, "received_at": started}


NAMES = [f"call-{n}" for n in range(8)]
ids = st.sampled_from(NAMES)
signal_ids = st.sampled_from([f"signal-{n}" for n in range(5)])
days = st.integers(0, 3)
calls = st.builds(
    lambda id_, **fields: interaction(id_, **times(id_), user_id=id_, **fields),
    ids,
    deployment=st.sampled_from(DEPLOYMENTS),
    identity=st.sampled_from([None, "v1", "v2"]),
    status=st.sampled_from(Status),
    origin=st.sampled_from([Origin.PRODUCTION, Origin.PRODUCTION, Origin.REPLAY]),
    conversation_id=st.sampled_from([None, "a", "b"]),
    duration_ms=st.sampled_from([None, 0.5, 400.0, 900.0]),
    input_tokens=st.sampled_from([None, 100]),
    output_tokens=st.sampled_from([None, 50]),
    cost_usd=st.sampled_from([None, 0.25, 0.5]),
    cost_source=st.sampled_from(CostSource),
    price_table=st.sampled_from([None, "1", "2"]),
    output_messages=st.sampled_from([(), (assistant("Yes."),), (assistant("I can't help with that."),)]),
)
signals = st.builds(
    lambda id_, day, call, **fields: signal(id_, at=noon(day), linked_interaction_id=call, **fields),
    signal_ids,
    st.integers(-1, 6),
    st.one_of(st.none(), ids),
    is_correction=st.booleans(),
    value=st.sampled_from([-1.0, 1.0]),
    revisable=st.booleans(),
    overrides=st.one_of(st.none(), st.none(), signal_ids),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("insert"), st.lists(calls, min_size=1, max_size=4, unique_by=lambda one: one.id)),
        st.tuples(st.just("signal"), st.lists(signals, min_size=1, max_size=3)),
        st.tuples(st.just("link"), st.tuples(signal_ids, ids, st.booleans())),
        st.tuples(st.just("retract"), signal_ids),
        st.tuples(st.just("duplicate"), st.tuples(ids, ids)),
        st.tuples(st.just("keep"), ids),
        st.tuples(st.just("fill"), st.tuples(ids, calls)),
        st.tuples(st.just("erase"), ids),
        st.tuples(st.just("expire"), days),
        st.tuples(st.just("classify"), st.none()),
        st.tuples(st.just("fold"), st.none()),
        st.tuples(st.just("settle"), st.tuples(days, st.sampled_from([POLICY, CALLED]))),
    ),
    min_size=2,
    max_size=10,
)


def link(tx: Tx, signal_id: str, call_id: str, *, placed: bool) -> None:
    call = interactions.get(tx, call_id)
    if call is None:
        return
    found = Link(feedback_id=signal_id, interaction_id=call_id, method=LinkMethod.SPAN, deployment=call.deployment)
    feedback.set_links(tx, [replace(found, started_at=call.started_at) if placed else found])


def fill(tx: Tx, call_id: str, other: Interaction) -> None:
    rows = trace_calls.rows_of(tx, [call_id])
    filled = [
        with_fields(
            to_interaction(row),
            status=other.status,
            identity=other.identity,
            conversation_id=other.conversation_id,
            duration_ms=other.duration_ms,
        )
        for row in rows.values()
    ]
    write_filled(tx, rows, filled)


def expire(tx: Tx, day: int) -> None:
    limit = RetentionLimit(max_age_s=86_400.0)
    parts = {"interactions": limit, "feedback": limit}
    keep = RetentionPolicy(
        check_s=1.0, compact_share=1.0, compact_delay_s=1.0, keep_runs=1, parts=parts, deployments={}
    )
    retention.expire(tx, keep, noon(day) + timedelta(days=1, minutes=1))


def apply(tx: Tx, kind: str, given_: Any) -> None:
    work: dict[str, Callable[[], object]] = {
        "insert": lambda: interactions.insert(tx, given_),
        "signal": lambda: feedback.insert(tx, given_),
        "link": lambda: link(tx, given_[0], given_[1], placed=given_[2]),
        "retract": lambda: feedback.retract(tx, [given_]),
        "duplicate": lambda: duplicates.mark(tx, {given_[0]: given_[1]}, since=noon(-1)),
        "keep": lambda: trace_calls.set_kept_reports(tx, {given_: None}, calls_since=noon(-1), since=noon(-1)),
        "fill": lambda: fill(tx, *given_),
        "erase": lambda: erase_user(tx, given_, noon(9)),
        "expire": lambda: expire(tx, given_),
        "classify": lambda: refusals.fill(tx, 10),
        "fold": lambda: fold(tx),
        "settle": lambda: settle(tx, DAYS[given_[0]], given_[1]),
    }
    work[kind]()


def furnish(tx: Tx) -> None:
    """Store a call of each day, of an older driftd that did not classify refusals."""
    interactions.insert(tx, [interaction(f"call-{n}", started_at=noon(n), received_at=noon(n)) for n in range(4)])
    tx._cursor.execute("UPDATE interaction SET refusal = NULL")


@settings(max_examples=examples(16), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(steps=steps, policy=st.sampled_from([POLICY, CALLED]))
def test_what_is_read_never_depends_on_what_is_settled(
    store: Store, steps: list[Any], policy: ProductionPolicy
) -> None:
    with undone(store) as tx:
        furnish(tx)
        settle_all(tx, policy)
        for step in steps:
            apply(tx, *step)
        now = known(tx)
        settle_all(tx, policy)
        assert settled(tx) == DAYS
        assert known(tx) == now
        settled_days.unsettle_days(tx, [(name, day) for name in DEPLOYMENTS for day in DAYS])
        assert settled(tx) == []
        assert known(tx) == now


def test_a_late_call_and_a_late_correction_open_their_day_only(tx: Tx) -> None:
    furnish(tx)
    settle_all(tx, POLICY)
    interactions.insert(tx, [interaction("late", started_at=noon(1), received_at=noon(9))])
    assert settled(tx) == [DAYS[0], DAYS[2], DAYS[3]]
    feedback.insert(tx, [signal("s", at=noon(3), is_correction=True)])
    assert settled(tx) == [DAYS[0], DAYS[2], DAYS[3]]
    link(tx, "s", "call-2", placed=True)
    assert settled(tx) == [DAYS[0], DAYS[3]]


def test_a_call_of_today_opens_no_day(tx: Tx) -> None:
    furnish(tx)
    settle_all(tx, POLICY)
    interactions.insert(tx, [interaction("new", started_at=noon(4), received_at=noon(4))])
    assert settled(tx) == DAYS


@pytest.mark.parametrize("later", [1, 3, 4])
def test_a_conversation_that_continues_on_a_later_settled_day_did_not_end(
    tx: Tx, later: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The order in which days are settled and the time between the calls have no effect."""
    for module in (settled_days, rolled_counts):
        monkeypatch.setattr(module, "REACH", 3)
    calls_ = (("failed", 0, Status.ERROR, "a"), ("other", 0, Status.OK, "b"), ("later", later, Status.OK, "a"))
    for id_, number, status, conversation in calls_:
        at = {"started_at": noon(number), "received_at": noon(number)}
        interactions.insert(tx, [interaction(id_, **at, status=status, conversation_id=conversation)])
    between = [FIRST + DAY * n for n in range(later + 1)]

    def abandoned(until: date) -> int:
        window = {"since": midnight(FIRST), "until": midnight(until), "now": noon(later + 2)}
        [group] = rates.groups(tx, "support", GroupBy.ALL, **window)
        return group.abandoned

    for order in ([], between, between[::-1]):
        for day in order:
            settle(tx, day, POLICY)
        assert (abandoned(between[-1]), abandoned(between[-1] + DAY)) == (1, 0)
        settled_days.unsettle_days(tx, [("support", day) for day in between])


@pytest.mark.parametrize(
    ("table", "known_here"),
    [
        ("interaction", CHANGES_CALLS),
        ("interaction_end", CHANGES_CALL_ENDS),
        ("feedback", CHANGES_FEEDBACK),
        ("feedback_link", CHANGES_LINKS),
        ("feedback_end", CHANGES_ENDS),
    ],
)
def test_every_statement_that_changes_the_counts_is_known_here(table: str, known_here: set[str]) -> None:
    """A new one must unsettle its days in the same transaction; then add it to the list and to the steps above."""
    writes = re.compile(rf"\b(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO) {table}\b")
    assert {path.stem for path in SQL.glob("*.sql") if writes.search(path.read_text())} == known_here
