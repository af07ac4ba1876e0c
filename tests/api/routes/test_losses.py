"""Losses that a start found: listed, reported by /readyz and status, acknowledged once."""

from datetime import timedelta

from monitor.domain.loss import Loss, LossReason
from monitor.store.engine import losses
from tests.api.house import NOW, House


def add(house: House, id_: str, minutes: int = 0) -> None:
    loss = Loss(
        id=id_,
        found_at=NOW + timedelta(minutes=minutes),
        reason=LossReason.FEWER,
        commits=3,
        changed_rows=40,
        since=NOW - timedelta(hours=2),
        until=NOW - timedelta(hours=1),
    )
    with house.store.write() as tx:
        losses.insert(tx, loss)


def test_a_loss_is_listed_with_its_count_and_its_time(house: House) -> None:
    add(house, "loss-1")
    add(house, "loss-2", minutes=1)
    first = house.get("/api/v1/losses", limit=1).json()
    assert [item["id"] for item in first["items"]] == ["loss-2"]
    [loss] = house.get("/api/v1/losses", limit=1, cursor=first["next_cursor"]).json()["items"]
    assert (loss["id"], loss["reason"], loss["commits"], loss["changed_rows"]) == ("loss-1", "fewer", 3, 40)
    assert "3 acknowledged transactions with 40 changed rows are missing" in loss["sentence"]


def test_readyz_and_status_name_it_until_it_is_acknowledged_and_the_daemon_stays_ready(house: House) -> None:
    assert house.get("/readyz").json() == {"status": "ok"}
    add(house, "loss-1")
    ready = house.get("/readyz")
    assert (ready.status_code, ready.json()) == (200, {"status": "degraded", "degraded_components": ["database"]})
    [warning] = house.get("/api/v1/status").json()["warnings"]
    assert warning.startswith("database: 3 acknowledged transactions")
    done = house.post("/api/v1/losses/acknowledge", {"note": "restored the backup of Sunday"})
    assert (done.status_code, done.json()) == (200, {"acknowledged": 1})
    assert house.wakes, "the loop that resolves the alert is notified immediately"
    assert house.get("/readyz").json() == {"status": "ok"}
    assert house.get("/api/v1/status").json()["warnings"] == []
    [loss] = house.get("/api/v1/losses").json()["items"]
    assert (loss["acknowledged_by"], loss["note"]) == ("local", "restored the backup of Sunday")
    assert house.post("/api/v1/losses/acknowledge", {}).json() == {"acknowledged": 0}
