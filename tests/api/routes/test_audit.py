"""Reading, verifying and acknowledging the audit log."""

import pytest

from tests.api.house import House


def add(house: House, count: int) -> None:
    for n in range(count):
        assert house.post("/api/v1/changes", {"deployment": "bot", "model": f"gpt-{n}"}).status_code == 201


def remove(house: House, number: int) -> None:
    with house.store._cursors.lend() as cursor:
        cursor.execute("DELETE FROM audit_entry WHERE number = $number", {"number": number})


@pytest.mark.parametrize("anchor", ["", "1", "1:zz", f"x:{'a' * 64}"])
def test_an_anchor_that_is_none_is_refused(house: House, anchor: str) -> None:
    assert house.get("/api/v1/audit/verification", anchor=anchor).status_code == 422


def test_an_empty_log_verifies(house: House) -> None:
    assert house.get("/api/v1/audit/verification").json() == {
        "ok": True, "entries": 0, "first": None, "head": None, "breaks": [], "acknowledged": [],
    }  # fmt: skip


def test_the_log_is_listed_verified_and_anchored(house: House) -> None:
    add(house, 3)
    [newest, *older] = house.get("/api/v1/audit").json()["items"]
    assert {each["object_id"].partition("-")[0] for each in (newest, *older)} == {"change"}
    assert newest["deployment"] == "bot"
    assert len(house.get("/api/v1/audit", deployment="bot").json()["items"]) == 3
    assert house.get("/api/v1/audit", operation="changes", principal="local", kind="write", limit=1).json()[
        "next_cursor"
    ]
    assert house.get("/api/v1/audit", principal="other").json()["items"] == []
    found = house.get("/api/v1/audit/verification", anchor=f"2:{older[0]['hash']}").json()
    assert (found["ok"], found["entries"], found["head"]) == (True, 3, f"3:{newest['hash']}")
    found = house.get("/api/v1/audit/verification", anchor=f"2:{older[1]['hash']}").json()
    assert found["breaks"][0]["number"] == 2
    assert house.get("/api/v1/audit/verification", anchor=f"9:{'0' * 64}").json()["breaks"] == [
        {"number": 4, "reason": "entries 4 to 9 are missing"}
    ]


def test_a_broken_link_is_acknowledged_once_and_stays_visible(house: House) -> None:
    add(house, 3)
    remove(house, 2)
    assert house.get("/api/v1/audit/verification").json()["breaks"] == [{"number": 2, "reason": "entry 2 is missing"}]
    assert house.post("/api/v1/audit/acknowledge", {"numbers": [3]}).status_code == 409
    done = house.post("/api/v1/audit/acknowledge", {"numbers": [2]})
    assert (done.status_code, done.json()["ok"]) == (200, True)
    found = house.get("/api/v1/audit/verification").json()
    assert (found["ok"], found["acknowledged"]) == (True, [{"number": 2, "reason": "entry 2 is missing"}])
    kinds = [each["kind"] for each in house.get("/api/v1/audit").json()["items"]]
    assert kinds == ["write", "acknowledged", "write", "write"]
    assert house.post("/api/v1/audit/acknowledge", {"numbers": [2]}).status_code == 409
    remove(house, 3)
    assert house.get("/api/v1/audit/verification").json()["breaks"] == [
        {"number": 2, "reason": "entries 2 to 3 are missing"}
    ]
