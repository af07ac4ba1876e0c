from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.config.strict_yaml import parse
from monitor.errors import ConfigError


def refusal(text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parse(text, "driftd.yaml")
    return str(caught.value)


def test_the_error_of_a_duplicate_key_names_both_lines() -> None:
    assert (
        refusal("a:\n  x: 1\n  y: 2\n  x: 3\n")
        == "driftd.yaml line 4, column 3: key 'x' is given twice, first on line 2"
    )


def test_a_syntax_error_names_its_line() -> None:
    assert refusal("a: 1\nb: [1, 2\nc: 3\n").startswith("driftd.yaml line 3, column")


def test_the_error_of_a_tab_names_its_line() -> None:
    assert refusal("a:\n\tb: 1\n").startswith("driftd.yaml line 2, column 1")


def test_a_character_yaml_does_not_allow_is_refused() -> None:
    assert refusal("b: 1\na: \x07\n") == "driftd.yaml line 2: character U+0007 is not allowed in YAML; remove it"


def test_a_list_is_not_a_configuration() -> None:
    assert refusal("- a\n") == "driftd.yaml: the file must contain keys and values, not a list"


def test_a_key_that_is_not_a_text_needs_quotes() -> None:
    assert "key 7 is not a text; put it in quotes" in refusal("sets: {7: x}")


def test_a_tag_that_builds_an_object_is_refused() -> None:
    assert "tag '!!python/object/apply:os.getcwd' is not supported" in refusal("a: !!python/object/apply:os.getcwd []")


def test_yes_no_and_dates_are_texts() -> None:
    assert parse("a: [Yes, No, on, off, 2026-11-21, true, false, 3, 0.5, null]", "f") == {
        "a": ["Yes", "No", "on", "off", "2026-11-21", True, False, 3, 0.5, None]
    }


def test_the_mapping_has_priority_over_a_merge_key() -> None:
    assert parse("a: &base {x: 1, y: 2}\nb:\n  <<: *base\n  y: 3\n", "f")["b"] == {"x": 1, "y": 3}


def outcome(text: str) -> Any:
    try:
        return parse(text, "f")
    except ConfigError as error:
        return str(error)


@given(st.text(max_size=60))
def test_any_text_gives_a_mapping_or_one_error(text: str) -> None:
    result = outcome(text)
    assert isinstance(result, dict) or (result.startswith("f") and "\n" not in result)
