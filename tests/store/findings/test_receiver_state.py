from datetime import timedelta

from monitor.domain.alert import AlertState
from monitor.store.engine.database import Store, Tx
from monitor.store.findings import alerts, receiver_state
from tests.store.build import START, HandClock, alert

LATE = START + receiver_state.KEPT + timedelta(seconds=1)


def test_the_newest_text_of_a_group_is_remembered_for_each_receiver(tx: Tx) -> None:
    receiver_state.put(tx, "chat", "g1", "first", START)
    receiver_state.put(tx, "chat", "g1", "second", START)
    receiver_state.put(tx, "other", "g1", "elsewhere", START)
    assert receiver_state.get(tx, "chat", "g1") == "second"
    assert receiver_state.get(tx, "other", "g1") == "elsewhere"
    assert receiver_state.get(tx, "chat", "g2") is None


def test_the_memory_of_a_receiver_is_in_the_store(store: Store, clock: HandClock) -> None:
    receiver_state.StoredMemory(store, clock, "chat").put("g1", "text")
    assert receiver_state.StoredMemory(store, clock, "chat").get("g1") == "text"
    assert receiver_state.StoredMemory(store, clock, "other").get("g1") is None


def test_old_groups_are_forgotten_unless_they_are_open(tx: Tx) -> None:
    alerts.upsert(tx, alert("a1", group_id="open"))
    alerts.upsert(tx, alert("a2", group_id="done", state=AlertState.RESOLVED))
    for group in ("open", "done", "unknown"):
        receiver_state.put(tx, "chat", group, "text", START)
    receiver_state.put(tx, "chat", "new", "text", LATE)
    assert receiver_state.expire(tx, START + receiver_state.KEPT) == 0
    assert receiver_state.expire(tx, LATE) == 2
    kept = [group for group in ("open", "done", "unknown", "new") if receiver_state.get(tx, "chat", group)]
    assert kept == ["open", "new"]
