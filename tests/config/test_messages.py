"""Errors of a configuration have messages of driftd, never those of pydantic or PyYAML."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from monitor.config.load import from_mapping, load
from monitor.config.value_messages import UNKNOWN as UNKNOWN_VALUE
from monitor.errors import ConfigError
from replay.yaml_words import UNKNOWN, in_words
from tests.config.builders import working

FOREIGN = re.compile(
    r"Input should|should be|should have|should match|Value error|valid (string|integer|number|tuple|dict)"
    r"|Field required|Extra inputs|found character|expected <|expected ','|could not find|could not determine"
    r"|not allowed here"
    r"|while scanning|while parsing|unacceptable|any token|NoneType"
)
WRONG: list[Any] = [
    -1,
    1e9,
    3.5,
    float("inf"),
    "",
    "x y",
    "x" * 5000,
    True,
    None,
    [],
    [None],
    {},
    {"x": 1},
    {"a/b": {}},
]
EVERYTHING = {
    "api": {"tokens": [{"name": "t", "sha256": "0" * 64, "roles": ["read"]}], "dashboard_url": "http://h"},
    "ingest": {"otlp": {"port": 1}, "commit_max_rows": 10},
    "telemetry": {"otlp_endpoint": "http://h"},
    "retention": {"interactions": {"max_age_d": 3}},
    "traffic_reports": {"enabled": True},
}


def paths_of(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    for key, inside in value.items() if isinstance(value, dict) else ():
        yield from paths_of(inside, (*path, key))


def with_value(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    return {**data, path[0]: with_value(data[path[0]], path[1:], value)}


def test_the_configuration_of_these_tests_is_valid() -> None:
    from_mapping({**EVERYTHING, **working()}, env={}, folder=Path(), where="driftd.yaml")


def refusals() -> Iterator[tuple[tuple[Any, ...], Any, str]]:
    whole = {**EVERYTHING, **working()}
    for path in paths_of(whole):
        for value in WRONG:
            try:
                from_mapping(with_value(whole, path, value), env={}, folder=Path(), where="driftd.yaml")
            except ConfigError as error:
                yield path, value, str(error)


def test_every_invalid_value_of_every_key_has_a_message_of_driftd() -> None:
    count = 0
    for path, value, message in refusals():
        count += 1
        assert not FOREIGN.search(message), (path, value, message)
        assert UNKNOWN_VALUE not in message, (path, value, message)
    assert count > 400


BROKEN = [
    "a: b: c\n",
    "a:\n\tb: 1\n",
    "a: [1, 2\nc: 3\n",
    "a: {x: 1\nb: 2\n",
    "a: 'open\n",
    "a: @x\n",
    "a: `x`\n",
    "a: *missing\n",
    "a: !!python/object:os.system {}\n",
    "a: !mine x\n",
    "a: !own!x y\n",
    'a: "\\q"\n',
    'a: "\\x1"\n',
    "a: 1\n b: 2\n",
    "a:\n- 1\n  - 2\nb\n",
    "- a\nb: 1\n",
    "a: 1\n---\nb: 2\n",
    "a: {<<: 3}\n",
    "a: {<<: [3]}\n",
    "? [x]\n: y\n",
    "a: - b\n",
    "%X\na: 1\n",
    "a: &\n",
    "a: ]\n",
    "key\nother: 1\n",
    "a: |\n  x\n y\n",
    "a: \x00\n",
    "a: \ud800\n",
    "a: " + "[" * 3000,
]


@pytest.mark.parametrize("text", BROKEN)
def test_invalid_yaml_has_a_message_of_driftd(text: str, tmp_path: Path) -> None:
    path = tmp_path / "driftd.yaml"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    with pytest.raises(ConfigError) as caught:
        load(path, {})
    message = str(caught.value)
    assert not FOREIGN.search(message), message
    assert "\n" not in message


def test_every_message_of_pyyaml_has_a_translation() -> None:
    """Check all messages of the scanner, parser and composer, except those that only PyYAML's own classes can cause."""
    folder = Path(yaml.__file__).parent
    problems = {
        problem
        for module in ("scanner", "parser", "composer")
        for problem in re.findall(
            r'"((?:found|expected|could not|mapping values|sequence|did not)[^"]*)"',
            (folder / f"{module}.py").read_text(),
        )
    }
    assert len(problems) > 20
    assert [problem for problem in sorted(problems) if in_words(problem) == UNKNOWN and len(problem) > 60] == []


def test_an_error_names_the_line_of_its_key(tmp_path: Path) -> None:
    path = tmp_path / "driftd.yaml"
    path.write_text(
        "api:\n  port: -1\ntargets:\n  m:\n    base_url: http://h/v1\n    timeout: 3\n    model: x\n"
        "deployments:\n  d:\n    target: gone\nschedules:\n  n: {cron: often}\n"
    )
    with pytest.raises(ConfigError) as caught:
        load(path, {})
    lines = {line.split(": ")[1]: line.split(": ")[0] for line in str(caught.value).splitlines()}
    assert lines["api.port"] == "driftd.yaml line 2"
    assert lines["targets.m.timeout"] == "driftd.yaml line 6"
    assert lines["schedules.n.cron"] == "driftd.yaml line 12"


def test_the_error_of_a_missing_key_names_the_line_of_its_section(tmp_path: Path) -> None:
    path = tmp_path / "driftd.yaml"
    path.write_text("store: {}\ntargets:\n  m:\n    base_url: http://h/v1\n")
    with pytest.raises(ConfigError, match=r"^driftd.yaml line 3: targets.m.model: the key is required$"):
        load(path, {})


def test_the_error_of_an_unknown_name_names_the_line_of_its_key(tmp_path: Path) -> None:
    path = tmp_path / "driftd.yaml"
    path.write_text("deployments:\n  d:\n    target: gone\n")
    with pytest.raises(ConfigError, match=r"^driftd.yaml line 2: deployment .d.: target .gone. is unknown"):
        load(path, {})
