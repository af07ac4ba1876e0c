from monitor.api.auth import Role
from tests.api.house import House, import_cases, token_of
from tests.api.records import CASES

PATH = "/api/v1/cases"


def test_cases_come_page_by_page_in_their_order(house: House) -> None:
    import_cases(house)
    first = house.get(PATH, set_name="private", limit=2).json()
    second = house.get(PATH, set_name="private", limit=2, cursor=first["next_cursor"]).json()
    assert [item["id"] for item in first["items"] + second["items"]] == [case["id"] for case in CASES]
    assert second["next_cursor"] is None


def test_the_current_revision_is_shown_and_an_older_one_by_its_name(house: House) -> None:
    older = import_cases(house)
    import_cases(house, count=2)
    assert len(house.get(PATH, set_name="private").json()["items"]) == 2
    assert len(house.get(PATH, set_name="private", revision=older).json()["items"]) == 3


def test_a_set_without_cases_and_a_revision_that_is_not_there_are_unknown(house: House) -> None:
    assert house.get(PATH, set_name="private").status_code == 404
    import_cases(house)
    response = house.get(PATH, set_name="private", revision="beef")
    assert response.status_code == 404
    assert "revision 'beef' of eval set 'private'" in response.json()["detail"]


def test_the_set_must_be_named(house: House) -> None:
    assert house.get(PATH).json()["detail"] == "query.set_name: Field required"


def test_images_and_calls_of_tools_stand_where_they_are_reported(guarded: House) -> None:
    picture = {"type": "image_url", "image_url": {"url": "https://h.example/7.png"}}
    turns = [
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]},
        {"role": "assistant", "tool_calls": [{"id": "1", "name": "look", "arguments": {"at": 7}}]},
        {"role": "tool", "content": "a kettle", "tool_call_id": "1"},
        {"role": "user", "content": "And what colour?"},
    ]
    body = {"name": "private", "cases": [{"id": "c", "input": turns}]}
    assert guarded.post("/api/v1/sets", body, token=token_of(Role.ADMIN)).status_code == 201
    revealer = token_of(Role.READ, Role.REVEAL)
    [item] = guarded.get(PATH, token=revealer, set_name="private", reveal="true").json()["items"]
    assert [turn["content"] for turn in item["input"] or []] == [
        "What is this?\n[image https://h.example/7.png]",
        '[calls look({"at": 7})]',
        "a kettle",
        "And what colour?",
    ]
