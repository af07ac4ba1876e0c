"""The sources of the key of a sealed set."""

import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from monitor.config.keys import read_key
from monitor.config.load import load
from monitor.errors import ConfigError
from monitor.parts import sealers
from replay.evalsets.sealing import Sealer, key_text

KEY, OLDER = bytes(range(32)), bytes(range(1, 33))
PRINT = f"print({key_text(KEY)!r})"


def write(folder: Path, **settings: Any) -> Path:
    path = folder / "driftd.yaml"
    path.write_text(
        yaml.safe_dump({"sets": {"primes": {"kind": "frozen", "scorers": [{"kind": "exact"}], **settings}}})
    )
    return path


def command(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def test_a_command_prints_the_key_as_text_or_as_bytes(tmp_path: Path) -> None:
    for code in (PRINT, f"import sys; sys.stdout.buffer.write({KEY!r})"):
        config = load(write(tmp_path, key_command=command(code)), {})
        assert read_key(config.sets["primes"], "sets.primes") == KEY


def test_the_key_can_come_from_the_environment(tmp_path: Path) -> None:
    config = load(write(tmp_path, key="${PRIMES_KEY}"), {"PRIMES_KEY": key_text(KEY)})
    assert sealers(config)["primes"].key_id == Sealer(KEY).key_id


def test_an_old_key_from_any_source_opens_what_it_sealed(tmp_path: Path) -> None:
    (tmp_path / "old.key").write_text(key_text(OLDER))
    older = [{"key_file": "old.key"}, {"key_command": command(f"print({key_text(bytes(32))!r})")}]
    config = load(write(tmp_path, key_command=command(PRINT), old_keys=older), {})
    sealer = sealers(config)["primes"]
    for key in (KEY, OLDER, bytes(32)):
        assert sealer.open(Sealer(key).seal(b"x", "here"), "here") == b"x"
    assert sealer.key_id == Sealer(KEY).key_id


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["/nowhere/kms"], "sets.primes.key_command: /nowhere/kms cannot be run: No such file or directory"),
        (
            command("import sys; print('half a secret'); sys.exit(3)"),
            "exited with 3; run it in a terminal to see its errors",
        ),
        (command("print('half a secret')"), "is not a key: a key must be 32 raw bytes"),
    ],
)
def test_a_command_without_a_key_is_reported_without_its_output(
    tmp_path: Path, arguments: list[str], sentence: str
) -> None:
    config = load(write(tmp_path, key_command=arguments), {})
    with pytest.raises(ConfigError) as caught:
        sealers(config)
    assert sentence in str(caught.value)
    assert "half a secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({}, "sets.primes.key_file: a frozen set is sealed: give key, key_file or key_command"),
        (
            {"key": key_text(KEY), "key_command": ["kms"]},
            "sets.primes.key_command: give key, key_file or key_command, not",
        ),
        (
            {"key": key_text(KEY), "old_keys": [{}]},
            "sets.primes.old_keys: give each of them key, key_file or key_command",
        ),
        (
            {"key": key_text(KEY), "old_keys": [{"key": "short"}]},
            "sets.primes.old_keys.0.key: a key must be 32 raw bytes",
        ),
        ({"kind": "dynamic", "key_command": ["kms"]}, "sets.primes.key: a dynamic set is not sealed; remove the key"),
        ({"kind": "dynamic", "old_keys": [{"key": key_text(KEY)}]}, "a dynamic set is not sealed; remove the key"),
    ],
)
def test_an_invalid_combination_of_keys_is_refused(tmp_path: Path, settings: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load(write(tmp_path, **settings), {})
    assert sentence in str(caught.value).replace("[0]", ".0")
    assert "short" not in str(caught.value)
