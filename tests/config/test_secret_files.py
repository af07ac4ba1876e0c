from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel

from monitor.config.describe import sections
from monitor.config.secret_files import SECRET_FILE_KEYS, SecretFile, secret_files
from monitor.config.section import Section
from monitor.config.tree import Config

TEMPLATES = {"title_file", "summary_file", "text_file", "html_file"}
NO_SECRET = {"system_prompt_file", "body_file", "template_file"} | TEMPLATES


def file_keys() -> Iterator[str]:
    models: set[type[BaseModel]] = {model for _, model in sections(Config, "")}
    for model in models:
        if issubclass(model, Section):
            yield from model.FILES


def test_every_file_key_is_classified_as_secret_or_not() -> None:
    assert set(file_keys()) == SECRET_FILE_KEYS | NO_SECRET


def test_secret_files_of_every_section_are_found(tmp_path: Path) -> None:
    config = tmp_path / "driftd.yaml"
    config.write_text(
        "api: {tokens: [{name: ci, token_file: '${FOLDER}/token', roles: [read]}]}\n"
        "targets: {m: {api_key_file: api.key, system_prompt_file: prompt.md}}\n"
        "sets: {a: {key_file: /abs/a.key}}\n"
    )
    assert secret_files(config, {"FOLDER": "run"}) == [
        SecretFile(key="api.tokens[0].token_file", path=tmp_path / "run/token"),
        SecretFile(key="targets.m.api_key_file", path=tmp_path / "api.key"),
        SecretFile(key="sets.a.key_file", path=Path("/abs/a.key")),
    ]
