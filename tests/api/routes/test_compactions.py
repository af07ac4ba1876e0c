import hashlib
from pathlib import Path

import pytest

from monitor.api.auth import Role
from monitor.domain.evalset import SetKind
from monitor.store.maintenance import compactions
from monitor.store.sets.sealed_sets import write_revision
from replay.types import Case, Message
from tests.api.house import NOW, House, open_house, token_of, tokens_for_roles
from tests.api.records import interaction
from tests.api.rows import add_compaction


def test_an_erasure_reports_what_went_and_that_the_bytes_are_still_there(house: House) -> None:
    house.post("/api/v1/interactions", [interaction(id="a", user_id="anna"), interaction(id="b", user_id="bert")])
    response = house.post("/api/v1/compactions", {"erase_user": "anna"})
    assert response.status_code == 202
    item = response.json()
    assert (item["kind"], item["who"], item["compacted_at"]) == ("erase", "local", None)
    assert item["removed"] == {"interaction": 1}
    assert [i["id"] for i in house.get("/api/v1/interactions").json()["items"]] == ["b"]
    assert house.wakes, "the loop that compacts the file is notified immediately"
    assert "anna" not in response.text


def test_the_audit_can_report_whether_a_user_was_erased_and_names_no_one(house: House) -> None:
    compaction_id = house.post("/api/v1/compactions", {"erase_user": "anna"}).json()["id"]
    with house.store.read() as tx:
        kept = compactions.get(tx, compaction_id)
    salt, _, digest = (kept.user_hash or "").partition(":")
    assert digest == hashlib.sha256(f"{salt}anna".encode()).hexdigest()
    assert "anna" not in repr(kept)


def test_an_order_without_a_user_only_compacts(house: House) -> None:
    item = house.post("/api/v1/compactions", {}).json()
    assert (item["kind"], item["removed"]) == ("compact", {})


def test_the_same_order_under_one_key_erases_once(house: House) -> None:
    first, second = (house.post("/api/v1/compactions", {"erase_user": "anna"}, key="k").json() for _ in range(2))
    assert first == second
    assert len(house.get("/api/v1/compactions").json()["items"]) == 1


def test_compactions_are_listed_newest_first_with_their_time(house: House) -> None:
    add_compaction(house, "compaction-1")
    with house.store.write() as tx:
        compactions.finish(tx, NOW)
    assert house.get("/api/v1/compactions/compaction-1").json()["compacted_at"] is not None
    assert [i["id"] for i in house.get("/api/v1/compactions").json()["items"]] == ["compaction-1"]
    assert house.get("/api/v1/compactions/compaction-9").status_code == 404


@pytest.mark.parametrize("body", [{"erase_user": ""}, {"erase_user": 7}, {"user": "anna"}])
def test_an_order_that_is_none_is_refused(house: House, body: dict[str, object]) -> None:
    assert house.post("/api/v1/compactions", body).status_code == 422


def test_only_an_admin_may_erase(tmp_path_factory: pytest.TempPathFactory) -> None:
    with open_house(tmp_path_factory.mktemp("guarded"), tokens=tokens_for_roles()) as guarded:
        refused = guarded.post("/api/v1/compactions", {"erase_user": "anna"}, token=token_of(Role.OPERATE))
        assert refused.status_code == 403
        assert guarded.post("/api/v1/compactions", {}, token=token_of(Role.ADMIN)).status_code == 202


def test_a_set_that_is_being_replayed_refuses_the_erasure_and_nothing_goes(tmp_path: Path) -> None:
    case = Case(id="a", input=(Message(role="user", content="?"),), provenance="interaction call-1")
    with open_house(tmp_path, replaying=lambda: {"corrections"}) as house:
        house.post("/api/v1/interactions", interaction(user_id="anna"))
        with house.store.write() as tx:
            write_revision(
                tx, name="corrections", kind=SetKind.DYNAMIC, cases=[case], sealer=None, now=NOW, origin="corrections"
            )
        refused = house.post("/api/v1/compactions", {"erase_user": "anna"})
        assert refused.status_code == 409
        assert "'corrections' has cases of this user and is being replayed" in refused.json()["detail"]
        assert len(house.get("/api/v1/interactions").json()["items"]) == 1
        assert house.get("/api/v1/compactions").json()["items"] == []
        assert house.post("/api/v1/compactions", {"erase_user": "bert"}).status_code == 202
