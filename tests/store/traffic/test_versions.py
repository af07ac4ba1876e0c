from monitor.store.engine.database import Tx
from monitor.store.engine.pagination import PageQuery
from monitor.store.runs import runs
from monitor.store.traffic import versions
from tests.store.build import at, change, run, version


def test_a_version_comes_back_as_it_was_and_enters_once(tx: Tx) -> None:
    seen = version("v1", identity={"response_model": "gpt-4", "prompt": ""}, evidence={"fingerprints": {"fp": 3}})
    assert versions.insert(tx, seen)
    assert not versions.insert(tx, version("v1", label="another"))
    assert versions.insert(tx, version("v1", deployment="search"))
    assert versions.get(tx, "support", "v1") == seen
    assert versions.versions(tx, "support") == [seen]
    assert versions.get(tx, "support", "v2") is None


def test_a_change_comes_back_as_it_was(tx: Tx) -> None:
    noted = change("c", at=at(-5), evidence={"share": 0.9})
    versions.insert_change(tx, noted)
    assert versions.get_change(tx, "c") == noted
    assert versions.page_changes(tx, PageQuery()).items == [noted]
    assert versions.get_change(tx, "d") is None


def test_the_current_version_is_where_the_change_noted_last_led(tx: Tx) -> None:
    assert versions.current_version(tx, "support") is None
    versions.insert_change(tx, change("late", at=at(1), noted_at=at(9), to_version="v1"))
    versions.insert_change(tx, change("early", at=at(5), noted_at=at(6), to_version="v2"))
    versions.insert_change(tx, change("other", noted_at=at(20), deployment="search", to_version="v3"))
    assert versions.current_version(tx, "support") == "v1"


def test_versions_of_two_deployments_with_one_identity_are_both_listed(tx: Tx) -> None:
    for deployment in ("support", "search", "triage"):
        versions.insert(tx, version("v1", deployment=deployment))
    first = versions.page_versions(tx, PageQuery(limit=2))
    second = versions.page_versions(tx, PageQuery(limit=2, cursor=first.next_cursor))
    listed = [item.deployment for item in (*first.items, *second.items)]
    assert sorted(listed) == ["search", "support", "triage"]


def test_a_change_waits_for_its_replay_until_a_run_names_it(tx: Tx) -> None:
    versions.insert_change(tx, change("first", from_version=None))
    versions.insert_change(tx, change("b", noted_at=at(2)))
    versions.insert_change(tx, change("a", noted_at=at(1)))
    assert [item.id for item in versions.changes_without_run(tx)] == ["a", "b"]
    runs.insert(tx, run("r", change_id="a"))
    assert [item.id for item in versions.changes_without_run(tx)] == ["b"]


def test_before_the_first_change_the_version_seen_last_is_current(tx: Tx) -> None:
    versions.insert(tx, version("v1", first_seen=at(1)))
    versions.insert(tx, version("v2", first_seen=at(2)))
    versions.insert(tx, version("v3", first_seen=at(3), deployment="search"))
    assert versions.current_version(tx, "support") == "v2"
