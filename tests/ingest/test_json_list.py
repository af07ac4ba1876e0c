import pytest

from monitor.errors import MalformedRecord
from monitor.ingest.json_list import ListRead, read_list


@pytest.mark.parametrize("value", [None, "", "null", [], "[]"])
def test_nothing_is_an_empty_list(value: object) -> None:
    assert read_list(value, "x") == ListRead()


def test_one_object_stands_for_a_list_of_one() -> None:
    assert read_list({"a": 1}, "x") == read_list('{"a": 1}', "x") == ListRead(items=({"a": 1},))


@pytest.mark.parametrize("text", ["[REDACTED]", "<hidden>", "***", '"a text"', "{{template}}", "hello"])
def test_text_that_is_no_json_is_unread_and_not_cut(text: str) -> None:
    assert read_list(text, "x") == ListRead(unread=True)


def test_the_whole_items_before_the_cut_are_kept() -> None:
    assert read_list('[{"a": 1}, {"b": [1, 2]} , {"c', "x") == ListRead(items=({"a": 1}, {"b": [1, 2]}), cut=True)
    for text in ("[", "[ ", "{", '{"role": "us', '[{"role'):
        assert read_list(text, "x") == ListRead(cut=True)


@pytest.mark.parametrize("value", [3, True, "7"])
def test_other_values_are_malformed(value: object) -> None:
    with pytest.raises(MalformedRecord, match="x is neither a list nor JSON text"):
        read_list(value, "x")
