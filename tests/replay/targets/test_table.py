import asyncio

import pytest

from replay.errors import TargetError
from replay.targets.table import build_target


def test_a_kind_is_built_with_its_options() -> None:
    target = build_target("openai", {"base_url": "http://127.0.0.1:1/v1", "model": "gpt-4", "temperature": 0.0})
    assert (target.conditions.kind, target.conditions.model, target.conditions.temperature) == ("openai", "gpt-4", 0.0)
    asyncio.run(target.aclose())


@pytest.mark.parametrize(
    ("kind", "options", "sentence"),
    [
        ("opneai", {}, "target kind 'opneai' is unknown; known: anthropic, command, http, openai"),
        (
            "openai",
            {"base_url": "http://h/v1", "model": "m", "temprature": 0},
            "has no option 'temprature'; known: api, api_key, base_url",
        ),
        ("openai", {"model": "m"}, "target kind 'openai' needs base_url"),
        ("openai", {"base_url": "api.openai.com/v1", "model": "m"}, "has no http(s) scheme or no host"),
        ("openai", {"base_url": "ftp://h/v1", "model": "m"}, "has no http(s) scheme or no host"),
        ("openai", {"base_url": "http://h:port/v1", "model": "m"}, "is not a valid URL"),
    ],
)
def test_what_cannot_be_built_is_told_in_a_sentence(kind: str, options: dict[str, object], sentence: str) -> None:
    with pytest.raises(TargetError) as raised:
        build_target(kind, options)
    assert sentence in str(raised.value)


@pytest.mark.parametrize("key", ["", "sk-secret\n", "sk-sécret", "sk-sec\x00ret"])
def test_a_key_that_no_header_can_carry_is_refused_without_being_told(key: str) -> None:
    with pytest.raises(TargetError, match=r"api_key of target http://h/v1") as raised:
        build_target("openai", {"base_url": "http://h/v1", "model": "m", "api_key": key})
    assert "sk-s" not in str(raised.value)


def test_a_password_in_the_address_is_refused_without_being_told() -> None:
    with pytest.raises(TargetError, match="contains a user or password") as raised:
        build_target("openai", {"base_url": "http://me:hunter2@h/v1", "model": "m"})
    assert "hunter2" not in str(raised.value)
