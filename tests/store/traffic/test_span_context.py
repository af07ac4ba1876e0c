"""Attributes that calls inherit from other spans, whichever arrives first."""

from datetime import timedelta
from typing import Any

import pytest

from monitor.domain.interaction import Document, InheritedAttributes, Interaction
from monitor.store.engine.database import Tx
from monitor.store.maintenance import waiting_spans
from monitor.store.maintenance.erase_user import erase_user
from monitor.store.traffic import interactions, span_context
from tests.store.build import START, at, interaction

GRACE = timedelta(minutes=10)
FOUND = Document(id="kb-12", content="Refunds within 30 days", score=0.91)


def around(span_id: str, parent: str | None = None, **fields: Any) -> InheritedAttributes:
    defaults: dict[str, Any] = {"deployment": "support", "trace_id": "t", "received_at": START, "ended_at": START}
    return InheritedAttributes(span_id=span_id, parent_span_id=parent, **defaults | fields)


def session(span_id: str, parent: str | None, id_: str) -> InheritedAttributes:
    return around(span_id, parent, conversation_id=id_, conversation_source="session.id")


def call(id_: str = "a", **fields: Any) -> Interaction:
    return interaction(id_, **{"trace_id": "t", "span_id": id_, "parent_span_id": "above"} | fields)


def fill(tx: Tx, since_minutes: float = -10, **options: Any) -> int:
    found = span_context.find(tx, since=at(since_minutes), calls_since=START - GRACE)
    return span_context.fill(tx, found, **options)


def kept(tx: Tx, id_: str = "a") -> Interaction:
    found = interactions.get(tx, id_)
    assert found is not None
    return found


@pytest.mark.parametrize("call_first", [True, False])
def test_a_parent_fills_session_and_user_whichever_came_first(tx: Tx, *, call_first: bool) -> None:
    parent = around("above", conversation_id="s", conversation_source="session.id", user_id="u", user_source="user.id")
    if call_first:
        interactions.insert(tx, [call()])
        assert fill(tx) == 0
        span_context.insert_span_contexts(tx, [parent])
    else:
        span_context.insert_span_contexts(tx, [parent])
        interactions.insert(tx, [call()])
    assert fill(tx) == 1
    found = kept(tx)
    assert (found.conversation_id, found.conversation_source) == ("s", "session.id")
    assert (found.user_id, found.user_source) == ("u", "user.id")
    assert fill(tx) == 0


def test_what_the_call_says_itself_stays(tx: Tx) -> None:
    interactions.insert(tx, [call(conversation_id="own", conversation_source="gen_ai.conversation.id")])
    span_context.insert_span_contexts(tx, [session("above", None, "s")])
    assert fill(tx) == 0
    assert kept(tx).conversation_source == "gen_ai.conversation.id"


def test_the_parent_knows_better_than_the_root_and_another_branch_knows_nothing(tx: Tx) -> None:
    interactions.insert(tx, [call(), call("b", parent_span_id="unseen")])
    span_context.insert_span_contexts(tx, [session("above", "root", "mine"), session("sibling", "root", "another")])
    assert fill(tx) == 1
    assert kept(tx).conversation_id == "mine"
    assert kept(tx, "b").conversation_id is None
    span_context.insert_span_contexts(tx, [session("root", None, "of all")])
    assert fill(tx) == 1
    assert kept(tx, "b").conversation_id == "of all"


def test_a_session_that_all_of_a_trace_agree_on_reaches_a_call_whose_parent_said_nothing(tx: Tx) -> None:
    interactions.insert(tx, [call(parent_span_id="silent")])
    span_context.insert_span_contexts(tx, [session("x", "y", "s")])
    assert fill(tx) == 1
    assert kept(tx).conversation_id == "s"


def test_documents_retrieved_before_the_call_are_its_own_once(tx: Tx) -> None:
    search = around("search", "root", documents=(FOUND,))
    late = around("late", "root", documents=(Document(content="not read"),), ended_at=at(1))
    span_context.insert_span_contexts(tx, [search, search, late])
    interactions.insert(tx, [call()])
    assert fill(tx) == 1
    assert kept(tx).documents == (FOUND,)


def test_a_prompt_that_comes_late_says_anew_what_served_the_call(tx: Tx) -> None:
    interactions.insert(tx, [call(identity="before")])
    span_context.insert_span_contexts(tx, [around("above", prompt_id="triage", prompt_version="7")])
    assert fill(tx, identify=lambda item: f"{item.prompt_id}/{item.prompt_version}") == 1
    assert (kept(tx).prompt_id, kept(tx).identity) == ("triage", "triage/7")


def test_only_traces_with_something_new_are_looked_at(tx: Tx) -> None:
    interactions.insert(tx, [call()])
    span_context.insert_span_contexts(tx, [session("above", None, "s")])
    assert fill(tx, since_minutes=1) == 0


def test_what_no_call_came_for_is_removed_and_with_a_user_all_of_the_users(tx: Tx) -> None:
    span_context.insert_span_contexts(tx, [around("old", user_id="u", received_at=at(-30)), around("x", user_id="u")])
    assert waiting_spans.remove_before(tx, START - GRACE) == 1
    assert erase_user(tx, "u", START).removed["span_context"] == 1


def test_a_trace_of_thousands_is_bounded_and_each_call_still_hears_its_parent(tx: Tx) -> None:
    spans = span_context.MOST_SPANS * 3
    calls = [call(f"c{n}", parent_span_id=f"s{n}", started_at=at(9)) for n in range(300)]
    interactions.insert(tx, calls)
    around_them = [
        around(f"s{n}", "root", conversation_id=f"of {n}", conversation_source="session.id", ended_at=at(n / spans))
        for n in range(spans)
    ]
    retrievals = [around(f"r{n}", "root", documents=(FOUND,), ended_at=at(1 + n / spans)) for n in range(spans)]
    span_context.insert_span_contexts(tx, [*around_them, *retrievals])
    found = span_context.find(tx, since=at(-10), calls_since=START - GRACE)
    assert {row["id"]: row["conversation_id"] for row in found} == {f"c{n}": f"of {n}" for n in range(300)}
    assert {len(row["found"]) for row in found} == {span_context.MOST_RETRIEVALS}
    assert span_context.fill(tx, found) == 300


def test_a_call_gets_the_documents_of_its_last_retrievals_in_their_order(tx: Tx) -> None:
    def document(n: int) -> Document:
        return Document(id=f"d{n}", content="text", score=None)

    most = span_context.MOST_RETRIEVALS
    interactions.insert(tx, [call(started_at=at(2))])
    retrievals = [around(f"r{n}", "root", documents=(document(n),), ended_at=at(n / 100)) for n in range(most + 7)]
    span_context.insert_span_contexts(tx, [*retrievals, around("later", "root", documents=(FOUND,), ended_at=at(3))])
    assert fill(tx) == 1
    assert kept(tx).documents == tuple(document(n) for n in range(7, most + 7))
