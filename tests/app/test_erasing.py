"""A running daemon erases a user: from every table, every byte, and the sets that contain their data."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor.store.engine.connections import Cursors
from tests.app.house import DEPLOYMENT, SETTLE_S, House, daemon
from tests.app.lake import of_a_file
from tests.store.readable import where_in_tables, where_on_disk

DYNAMIC = "primes-corrected"
WORDS = {name: f"Is {number} prime? asks {name} of k7Qz-{name}-x9" for name, number in (("anna", 7), ("bert", 8))}


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with daemon(tmp_path, sets=_accepting) as opened:
        yield opened


def _accepting(sets: dict[str, Any]) -> dict[str, Any]:
    """Accept corrections by policy, so that they become cases without a reviewer."""
    return {**sets, DYNAMIC: {**sets[DYNAMIC], "auto_accept": True}}


def talk(house: House, name: str) -> None:
    """Send a call with a wrong answer, its correction, and an invalid record of the same user."""
    record: dict[str, Any] = {
        "id": f"call-{name}",
        "deployment": DEPLOYMENT,
        "started_at": "2026-03-01T11:00:00Z",
        "user_id": f"user-{name}",
        "conversation_id": f"talk-{name}",
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": WORDS[name]}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": f"[No], {WORDS[name]}"}]},
    }
    broken = {**record, "id": f"broken-{name}", "started_at": "noon"}
    house.api.post("/api/v1/interactions", json=[record, broken]).raise_for_status()
    correction = {
        "id": f"correction-{name}",
        "deployment": DEPLOYMENT,
        "interaction_id": f"call-{name}",
        "kind": "report",
        "at": "2026-03-01T11:05:00Z",
        "expected": "[Yes]",
        "comment": WORDS[name],
    }
    house.api.post("/api/v1/feedback", json=correction).raise_for_status()
    house.app.settle(SETTLE_S)


def grow_the_set(house: House) -> None:
    """Run the next night, which builds the dynamic set from corrections."""
    house.clock.advance_to(house.clock.now() + timedelta(days=1))
    house.app.wake_schedule()
    house.app.settle(SETTLE_S)


def erase(house: House, name: str) -> dict[str, Any]:
    item = house.api.post("/api/v1/compactions", json={"erase_user": f"user-{name}"}).raise_for_status().json()
    house.app.settle(SETTLE_S)
    return dict(house.api.get(f"/api/v1/compactions/{item['id']}").raise_for_status().json())


@of_a_file("the bytes of removed rows leave a lake hours later: tests/store/lake/test_lake_maintenance.py")
def test_an_erased_user_is_nowhere_and_the_others_are_where_they_were(house: House) -> None:
    talk(house, "anna")
    talk(house, "bert")
    grow_the_set(house)
    path = house.file.path
    before = where_in_tables(house.file, WORDS["anna"])
    assert {"interaction", "feedback", "candidate", "eval_case", "dead_letter"} <= before
    assert where_on_disk(path, WORDS["anna"])

    done = erase(house, "anna")
    assert done["compacted_at"] is not None
    assert done["removed"]["interaction"] == done["removed"]["candidate"] == done["removed"]["eval_case"] == 1
    for text in (WORDS["anna"], "user-anna"):
        assert where_in_tables(house.file, text) == set()
        assert where_on_disk(path, text) == set()
    assert where_in_tables(house.file, WORDS["bert"]) == before
    assert [item["id"] for item in house.listed("interactions")] == ["call-bert"]
    assert len(house.listed("cases", set_name=DYNAMIC)) == 1
    talk(house, "anna")  # who comes back is stored as anybody else
    assert {item["id"] for item in house.listed("interactions")} == {"call-anna", "call-bert"}


@of_a_file("compaction rewrites a file")
def test_records_sent_during_a_compaction_are_acknowledged_and_stored_once(house: House) -> None:
    acknowledged: list[str] = []
    stop = threading.Event()

    def keep_sending() -> None:
        with httpx.Client(base_url=house.app.addresses["api"], timeout=30.0) as api:
            for n in range(10_000):
                if stop.is_set():
                    return
                sent = {"id": f"i{n}", "deployment": DEPLOYMENT, "started_at": "2026-03-01T11:00:00Z"}
                body = {**sent, "request": {"model": "m", "messages": []}, "response": {"model": "m", "messages": []}}
                if api.post("/api/v1/interactions", json=body).status_code == httpx.codes.OK:
                    acknowledged.append(f"i{n}")

    sender = threading.Thread(target=keep_sending)
    sender.start()
    compacted = [house.api.post("/api/v1/compactions", json={}).json()["id"] for _ in range(3)]
    house.app.retention.compact_when_due()
    house.api.post("/api/v1/compactions", json={}).raise_for_status()
    house.app.retention.compact_when_due()
    stop.set()
    sender.join(60)
    stored = [item["id"] for item in house.listed("interactions")]
    assert sorted(stored) == sorted(acknowledged)
    assert acknowledged
    assert house.api.get(f"/api/v1/compactions/{compacted[0]}").json()["compacted_at"] is not None


@of_a_file("compaction rewrites a file")
def test_a_full_intake_answers_429_while_writes_wait_for_a_compaction_and_the_status_reports_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with daemon(tmp_path, ingest={"otlp": {"port": 0}, "otlp_grpc": {"port": 0}, "intake_max_rows": 100}) as house:
        seen: dict[str, Any] = {}

        def look(cursors: Cursors, wait_s: float) -> AbstractContextManager[bool]:
            """When the new file is there and writes are held: one batch waits for its receipt, the next has no room."""
            waiting = threading.Thread(target=send, args=(house, "a"), daemon=True)
            waiting.start()
            while house.app.intake.rows < 80:
                pass
            seen["refused"] = send(house, "b")
            seen["writer"] = house.api.get("/api/v1/status").json()["loops"]["writer"]
            seen["waiting"] = waiting
            return held(cursors, wait_s)

        held = Cursors.held
        monkeypatch.setattr(Cursors, "held", look)
        house.file.compact(lambda _: None)
        seen["waiting"].join(60)
        assert (seen["refused"].status_code, seen["refused"].json()["code"]) == (429, "intake_full")
        assert "retry-after" in seen["refused"].headers
        assert seen["writer"] == "waiting: the database file is being compacted; rows are queued"
        house.app.settle(SETTLE_S)
        assert len(house.listed("interactions")) == 80


def send(house: House, batch: str) -> httpx.Response:
    rows = [
        {
            "id": f"{batch}{n}",
            "deployment": DEPLOYMENT,
            "started_at": "2026-03-01T11:00:00Z",
            "request": {"model": "m", "messages": []},
            "response": {"model": "m", "messages": []},
        }
        for n in range(80)
    ]
    return httpx.post(f"{house.app.addresses['api']}/api/v1/interactions", json=rows, timeout=60)


@of_a_file("compaction rewrites a file")
def test_old_rows_leave_the_tables_and_then_the_file(tmp_path: Path) -> None:
    with daemon(tmp_path, retention={"interactions": {"max_age_d": 3}, "compact_share": 0.01}) as house:
        send(house, "older").raise_for_status()
        house.clock.advance_to(house.clock.now() + timedelta(days=2))
        send(house, "newer").raise_for_status()
        assert len(house.listed("interactions")) == 160
        assert where_on_disk(house.file.path, "older7")
        house.clock.advance_to(house.clock.now() + timedelta(days=2))
        house.app.wake()
        house.app.settle(SETTLE_S)
        assert len(house.listed("interactions")) == 80
        assert where_on_disk(house.file.path, "older7") == set()
        (order,) = house.listed("compactions")
    assert (order["kind"], order["who"], order["removed"]) == ("retention", "retention", {"interaction": 80})
    assert order["compacted_at"] is not None
