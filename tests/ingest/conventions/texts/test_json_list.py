import pytest

from monitor.ingest.conventions.texts.json_list import ListRead, read_list


@pytest.mark.parametrize("value", [None, "", "null", [], "[]"])
def test_nothing_is_an_empty_list(value: object) -> None:
    assert read_list(value) == ListRead()


def test_one_object_is_a_list_of_one() -> None:
    assert read_list({"a": 1}) == read_list('{"a": 1}') == ListRead(items=({"a": 1},))


@pytest.mark.parametrize("text", ["[REDACTED]", "<hidden>", "***", "{{template}}", "hello"])
def test_text_that_is_not_json_is_unread_and_not_truncated(text: str) -> None:
    assert read_list(text) == ListRead(unread=True)


def test_the_complete_items_before_the_cut_are_kept() -> None:
    assert read_list('[{"a": 1}, {"b": [1, 2]} , {"c') == ListRead(items=({"a": 1}, {"b": [1, 2]}), cut=True)
    for text in ("[", "[ ", "{", '{"role": "us', '[{"role'):
        assert read_list(text) == ListRead(cut=True)


@pytest.mark.parametrize(("value", "item"), [(3, 3), (True, True), ("7", 7), ('"a text"', "a text")])
def test_a_single_value_is_a_list_of_one(value: object, item: object) -> None:
    assert read_list(value) == ListRead(items=(item,))
