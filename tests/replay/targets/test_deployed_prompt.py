from typing import Any

import pytest

from replay.errors import CallError, TargetError
from replay.targets.deployed_prompt import Prompt
from replay.targets.prompt import prompt_hash
from replay.targets.settings import TargetSettings
from replay.targets.template import Template
from replay.types import Case, Message


def case(**variables: Any) -> Case:
    return Case(id="c", input=(Message(role="user", content="Hi"),), variables=variables)


def prompt(**settings: Any) -> Prompt:
    return Prompt(TargetSettings(**settings))


def test_a_text_is_sent_as_it_stands_braces_and_all() -> None:
    made = prompt(system_prompt="Answer as {{ json }}.")
    assert made.render(case()) == "Answer as {{ json }}."
    assert (made.text_hash, made.template_hash) == (prompt_hash("Answer as {{ json }}."), None)


def test_a_template_takes_the_variables_of_the_configuration_and_of_the_case() -> None:
    made = prompt(
        template="You work for {{ shop }}, in {{ language }}.", variables={"shop": "us", "language": "English"}
    )
    assert made.render(case()) == "You work for us, in English."
    assert made.render(case(language="German")) == "You work for us, in German."
    assert made.text_hash == prompt_hash("You work for us, in English.")
    assert made.template_hash == prompt_hash("You work for {{ shop }}, in {{ language }}.")


def test_a_prompt_that_differs_from_case_to_case_has_no_hash_of_its_own() -> None:
    made = prompt(template="You speak {{ language }}.")
    assert (made.text_hash, made.template_hash is None) == (None, False)
    with pytest.raises(CallError, match="'language' is undefined") as raised:
        made.render(case())
    assert (raised.value.error_class, raised.value.retryable) == ("bad_template", False)


def test_no_prompt_is_none() -> None:
    made = prompt()
    assert (made.render(case()), made.text_hash, made.template_hash) == (None, None, None)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"template": "Hello {{ name"}, "is not a valid Jinja template"),
        ({"template": "{% if %}"}, "is not a valid Jinja template"),
        ({"template": "x", "system_prompt": "y"}, "not both"),
        ({"template": "{{ 1 // 0 }}"}, "cannot be rendered: ZeroDivisionError"),
    ],
)
def test_what_is_no_prompt_is_told_before_the_first_call(settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(TargetError) as raised:
        prompt(**settings)
    assert sentence in str(raised.value)


@pytest.mark.parametrize(
    "source",
    [
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{{ cycler.__init__.__globals__.os.environ }}",
        "{{ variables.update({'a': 1}) }}",
        "{% for i in range(10 ** 9) %}{% endfor %}",
        "{% include '/etc/passwd' %}",
    ],
)
def test_a_template_stays_in_its_sandbox(source: str) -> None:
    with pytest.raises(CallError) as raised:
        Template(source, "the prompt").render({"variables": {}})
    assert raised.value.error_class == "bad_template"


def test_an_error_does_not_quote_the_case() -> None:
    with pytest.raises(CallError) as raised:
        Template("{{ question | int // 0 }}", "the prompt").render({"question": "my secret"})
    assert "secret" not in str(raised.value)
