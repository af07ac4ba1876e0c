"""Verification finds the first broken link after any change of the chain."""

import hashlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.audit import START, Action, AuditEntry, AuditKind, Head, digest, head_of, linked
from monitor.domain.audit_chain import Verification, Verifier, removed_until

AT = datetime(2026, 11, 21, 2, 0, tzinfo=UTC)
OTHER = "f" * 64


def action(n: int = 0, **given: object) -> Action:
    values: dict[str, object] = {
        "at": AT + timedelta(seconds=n),
        "kind": AuditKind.WRITE,
        "operation": "POST /api/v1/runs",
        "principal": f"ci-{n}",
        "status": 201,
    }
    return Action(**values | given)  # type: ignore[arg-type]


def chain(actions: list[Action], after: Head = START) -> list[AuditEntry]:
    entries: list[AuditEntry] = []
    for each in actions:
        entries.append(linked(each, entries[-1].head if entries else after))
    return entries


def verified(entries: list[AuditEntry], *, start: Head = START, anchors: list[Head] | None = None) -> Verification:
    ordered = sorted(entries, key=lambda entry: (entry.number, entry.hash))  # as the store returns them
    return Verifier(start, anchors or []).verify(ordered)


def first_broken(entries: list[AuditEntry], anchors: list[Head]) -> int | None:
    found = verified(entries, anchors=anchors).broken
    return None if found is None else found.number


TEXTS = st.none() | st.text(max_size=8)
ACTIONS = st.builds(
    Action,
    at=st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=45))])),
    kind=st.sampled_from([AuditKind.WRITE, AuditKind.LOGIN, AuditKind.REVEAL]),
    operation=st.text(max_size=8),
    principal=TEXTS,
    deployment=TEXTS,
    object_id=TEXTS,
    status=st.none() | st.integers(100, 599),
    count=st.integers(1, 10**9),
)
CHAINS = st.lists(ACTIONS, min_size=1, max_size=6).map(chain)


@given(CHAINS)
def test_an_unchanged_chain_has_no_broken_link(entries: list[AuditEntry]) -> None:
    found = verified(entries, anchors=[entries[-1].head])
    assert (found.breaks, found.entries, found.head) == ((), len(entries), entries[-1].head)


@given(CHAINS, st.data())
def test_a_changed_entry_is_named(entries: list[AuditEntry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(entries) - 1))
    field = data.draw(st.sampled_from(["at", "operation", "principal", "object_id", "status", "count", "address"]))
    old = entries[at]
    new: dict[str, Any] = {
        "at": old.action.at + timedelta(microseconds=1),
        "status": 799,
        "count": old.action.count + 1,
    }
    values: dict[str, Any] = {field: new.get(field, f"{getattr(old.action, field)}!")}
    changed = replace(old, action=replace(old.action, **values))
    assert first_broken([*entries[:at], changed, *entries[at + 1 :]], [entries[-1].head]) == old.number


@given(CHAINS, st.data())
def test_an_entry_changed_with_its_hash_breaks_the_next_link(entries: list[AuditEntry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(entries) - 1))
    old = entries[at]
    forged = linked(replace(old.action, count=old.action.count + 1), Head(number=old.number - 1, hash=old.previous))
    found = first_broken([*entries[:at], forged, *entries[at + 1 :]], [entries[-1].head])
    assert found == min(old.number + 1, len(entries))  # the last entry is found by its hash outside the table


@given(CHAINS, st.data())
def test_a_deleted_entry_is_named(entries: list[AuditEntry], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(entries) - 1))
    assert first_broken([*entries[:at], *entries[at + 1 :]], [entries[-1].head]) == at + 1


@given(CHAINS, st.data())
def test_a_cut_tail_is_named(entries: list[AuditEntry], data: st.DataObject) -> None:
    left = data.draw(st.integers(0, len(entries) - 1))
    assert first_broken(entries[:left], [entries[-1].head]) == left + 1


@given(CHAINS, ACTIONS, st.data())
def test_an_inserted_entry_is_named(entries: list[AuditEntry], added: Action, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(entries) - 1))
    extra = linked(replace(added, request_id="added"), Head(number=at, hash=entries[at].previous))
    found = first_broken([*entries, extra], [entries[-1].head])
    assert found == at + 1


@given(st.lists(ACTIONS, min_size=2, max_size=6, unique_by=str).map(chain), st.data())
def test_entries_in_another_order_are_named(entries: list[AuditEntry], data: st.DataObject) -> None:
    first, second = sorted(data.draw(st.permutations(range(len(entries))))[:2])
    moved = list(entries)
    moved[first] = replace(entries[second], number=entries[first].number)
    moved[second] = replace(entries[first], number=entries[second].number)
    assert first_broken(moved, [entries[-1].head]) == first + 1


def test_a_chain_that_was_calculated_again_is_found_by_an_older_hash() -> None:
    entries = chain([action(n) for n in range(5)])
    forged = chain([action(n, principal="someone else") for n in range(5)])
    assert verified(forged).broken is None
    assert first_broken(forged, [entries[2].head]) == 3


def test_the_chain_goes_on_after_removed_entries() -> None:
    entries = chain([action(n) for n in range(5)])
    checkpoint = linked(action(kind=AuditKind.CHECKPOINT, object_id=str(entries[2].head)), entries[-1].head)
    left = [*entries[3:], checkpoint]
    assert verified(left, start=removed_until(checkpoint)).breaks == ()
    found = verified(left[1:], start=removed_until(checkpoint)).broken
    assert found is not None
    assert (found.number, found.reason) == (4, "entry 4 is missing")


def test_an_acknowledged_break_is_reported_apart_from_others() -> None:
    entries = chain([action(n) for n in range(5)])
    entries.append(linked(action(kind=AuditKind.ACKNOWLEDGED, object_id="2-2"), entries[-1].head))
    found = verified([entries[0], *entries[2:]])
    assert (found.breaks, [each.number for each in found.acknowledged]) == ((), [2])
    longer = verified([entries[0], *entries[3:]])
    assert [(each.number, each.last) for each in longer.breaks] == [(2, 3)]
    assert longer.acknowledged == ()
    changed = replace(entries[-1], action=replace(entries[-1].action, object_id="2-2,4-4"))
    assert [each.number for each in verified([entries[0], *entries[2:-1], changed]).breaks] == [2, 6]


def test_the_hash_is_the_documented_one() -> None:
    one = Action(at=AT.astimezone(timezone(timedelta(hours=2))), kind=AuditKind.LOGIN, operation="é", principal="a")
    text = (
        '{"address":null,"at":"2026-11-21T02:00:00.000000+00:00","count":1,"deployment":null,"kind":"login","number":1,'
        '"object_id":null,"operation":"\\u00e9","principal":"a","request_id":null,"status":null}'
    )
    assert digest(1, one, START.hash) == hashlib.sha256(f"{'0' * 64}\n{text}".encode()).hexdigest()


@pytest.mark.parametrize(
    "text", ["", "1", "1:", f"x:{OTHER}", f"1:{OTHER[:-1]}", f"1:{OTHER[:-1]}g", f"{'9' * 19}:{OTHER}"]
)
def test_a_text_that_is_no_head_is_none(text: str) -> None:
    assert head_of(text) is None


def test_a_head_is_read_as_it_is_written() -> None:
    head = Head(number=17, hash=OTHER)
    assert head_of(f" {head}\n") == head


def test_a_text_is_stored_without_control_characters() -> None:
    entry = linked(action(principal="a\nb\ud800" + "x" * 300), START)
    assert entry.action.principal == "a\ufffdb\ufffd" + "x" * 196
