"""Every kind of target in a configuration, and the errors of invalid ones."""

import asyncio
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from monitor import parts
from monitor.config.describe import documents
from monitor.config.load import from_mapping
from monitor.config.tree import Config
from monitor.errors import ConfigError
from replay.targets.table import TARGETS

PROMPTED = {"template": "You work for {{ shop }}.", "variables": {"shop": "us"}}
KINDS: dict[str, dict[str, Any]] = {
    "openai": {"kind": "openai", "base_url": "http://127.0.0.1:1/v1", "model": "m", "api": "responses", "stream": True},
    "anthropic": {"kind": "anthropic", "base_url": "http://127.0.0.1:1/v1", "model": "m", "max_tokens": 100},
    "http": {
        "kind": "http",
        "url": "http://127.0.0.1:1/ask",
        "headers": {"X-Token": "${TOKEN}"},
        "body": '{"q": {{ question | tojson }}, "s": {{ session.id | tojson }}}',
        "answer": "$.result",
        "paths": {"model": "$.model", "input_tokens": "$.usage.in"},
        "session": [{"url": "http://127.0.0.1:1/open", "extract": {"id": "$.id"}}],
        "poll": {"url": "http://127.0.0.1:1/{{ reply.id }}", "every_s": 0.5},
    },
    "command": {"kind": "command", "command": ["python3", "answer.py"], "env": {"TOKEN": "${TOKEN}"}},
}
every_kind = pytest.mark.parametrize("kind", KINDS)


def load(target: Any, folder: Path = Path()) -> Config:
    return from_mapping({"targets": {"m": target}}, env={"TOKEN": "t-secret"}, folder=folder, where="driftd.yaml")


def refusal(target: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        load(target)
    return str(caught.value)


def test_every_kind_has_settings() -> None:
    assert set(KINDS) == set(TARGETS)


@every_kind
def test_a_target_is_built_from_its_section(kind: str) -> None:
    target = parts.target(load({**KINDS[kind], **PROMPTED}).targets["m"])
    assert target.conditions.kind == kind
    assert target.conditions.template_hash is not None
    assert target.conditions.system_prompt_hash is not None
    asyncio.run(target.aclose())


@every_kind
def test_the_text_form_of_a_target_has_no_secret(kind: str) -> None:
    section = load({**KINDS[kind], "api_key": "t-secret"} if kind != "command" else KINDS[kind]).targets["m"]
    assert "t-secret" not in repr(section) + repr(parts.target(section).conditions)


def test_the_default_kind_of_a_target_is_openai() -> None:
    assert load({"base_url": "http://h/v1", "model": "m"}).targets["m"].kind == "openai"


def test_a_program_runs_in_the_folder_of_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "programs").mkdir()
    options = load({**KINDS["command"], "folder": "programs"}, tmp_path).targets["m"].options()
    assert options["folder"] == tmp_path / "programs"
    assert load(KINDS["command"], tmp_path).targets["m"].options()["folder"] == tmp_path


def test_templates_and_bodies_can_be_in_files(tmp_path: Path) -> None:
    (tmp_path / "prompt.j2").write_text("You work for {{ shop }}.\n")
    (tmp_path / "body.j2").write_text('{"q": {{ question | tojson }}}\n')
    target = {"kind": "http", "url": "http://h/ask", "body_file": "body.j2", "template_file": "prompt.j2"}
    options = load(target, tmp_path).targets["m"].options()
    assert (options["template"], options["request"].body) == (
        "You work for {{ shop }}.", '{"q": {{ question | tojson }}}',
    )  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "change", "sentence"),
    [
        ("openai", {"kind": "opneai"}, "targets.m: kind 'opneai' is unknown; known: openai, anthropic, http, command"),
        ("openai", {"seed": 1}, "targets.m: the responses API has no seed; leave seed out or set api to chat"),
        ("openai", {"template": "{{"}, "targets.m: the template of the prompt: is not a valid Jinja template"),
        (
            "openai",
            {"system_prompt": "a", "template": "b"},
            "m.template: give system_prompt or template, not both",
        ),
        (
            "openai",
            {"prompt_from": "seen"},
            "m.prompt_from: must be 'config', 'announced' or 'observed'",
        ),
        ("anthropic", {"seed": 1}, "targets.m.seed: the key is unknown; known: api_key"),
        ("anthropic", {"stram": True}, "targets.m.stram: the key is unknown; did you mean stream?"),
        ("http", {"answer": "result"}, "targets.m: answer 'result' is not a valid JSONPath: it must begin with $"),
        ("http", {"paths": {"modle": "$.m"}}, "targets.m.paths.modle: the key is unknown; did you mean model?"),
        ("http", {"session": [{"extract": {}}]}, "targets.m.session[0].url: the key is required"),
        ("http", {"body": "{{ question"}, "targets.m: the request: body: is not a valid Jinja template"),
        ("command", {"command": "python3 answer.py"}, "targets.m.command: must be a list"),
        ("command", {"comand": []}, "targets.m.comand: the key is unknown; did you mean command?"),
        (
            "command",
            {"prompt_from": "observed", "prompt": {"id": "a", "version": "1"}},
            "targets.m.prompt: the prompt comes from what is observed; leave prompt out",
        ),
    ],
)
def test_the_error_of_an_invalid_target_names_its_key(kind: str, change: dict[str, Any], sentence: str) -> None:
    assert sentence in refusal({**KINDS[kind], **change})


@pytest.mark.parametrize(
    ("kind", "change"), [("http", {"headers": {"X-Token": 7312}}), ("command", {"env": {"TOKEN": 7312}})]
)
def test_an_invalid_secret_is_not_quoted(kind: str, change: dict[str, Any]) -> None:
    assert "7312" not in refusal({**KINDS[kind], **change})


def test_the_schema_accepts_every_kind() -> None:
    schema = json.loads(documents()["config.schema.json"])
    for target in KINDS.values():
        jsonschema.validate(yaml.safe_load(yaml.safe_dump({"targets": {"m": target}})), schema)
