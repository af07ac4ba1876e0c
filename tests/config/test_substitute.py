from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from monitor.config.substitute import substitute


def test_a_variable_is_replaced_inside_a_text() -> None:
    result = substitute({"a": ["http://${HOST}:${PORT}/"], "n": 3}, {"HOST": "h", "PORT": "1"})
    assert result.data == {"a": ["http://h:1/"], "n": 3}
    assert result.secret == {("a", 0)}


def test_two_dollars_are_one_dollar() -> None:
    result = substitute({"a": "$${HOME} costs $$5 or $5"}, {})
    assert result.data == {"a": "${HOME} costs $5 or $5"}
    assert result.secret == frozenset()
    assert result.problems == ()


def test_values_of_the_environment_are_not_substituted_again() -> None:
    assert substitute({"a": "${A}"}, {"A": "${B}", "B": "no"}).data == {"a": "${B}"}


def test_every_missing_variable_is_named_with_its_path() -> None:
    assert substitute({"a": "${X}", "b": {"c": ["${Y}"]}}, {}).problems == (
        "a: environment variable X is not set",
        "b.c[0]: environment variable Y is not set",
    )


@given(
    st.recursive(st.text(alphabet="ab{}", max_size=5) | st.integers() | st.none(), lambda c: st.lists(c, max_size=3))
)
def test_without_a_dollar_nothing_changes(value: Any) -> None:
    assert substitute(value, {}).data == value
