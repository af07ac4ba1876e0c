"""A command that reads needs a daemon or a database; without either, it fails with a message and creates nothing."""

import json
from pathlib import Path

import pytest

from tests.cli.commands import Command, commands
from tests.cli.conftest import Run
from tests.ports import free_port

CREATES = {"ingest", "changes announce", "replay run", "replay resume", "results import", "schedule run"}
CREATES |= {"sets import", "sets refresh", "sets graduate"}
WITHOUT_DATABASE = {
    "init",
    "serve",
    "dashboard",
    "demo",
    "check",
    "db import",
    "db restore",
    "backtest",
    "rank",
    "score",
    "results show",
    "results check",
    "results formats",
    "sets formats",
    "sets new",
    "sets validate",
    "sets key",
}
READING = [
    command
    for command in commands()
    if command.name not in CREATES | WITHOUT_DATABASE and not command.name.startswith("lake ")  # they ask PostgreSQL
]


def empty_folder(folder: Path) -> Path:
    """A configuration whose daemon does not run and whose database does not exist."""
    config = folder / "driftd.yaml"
    config.write_text(
        f"api: {{port: {free_port()}}}\ningest: {{otlp: {{port: {free_port()}}}, otlp_grpc: {{port: {free_port()}}}}}\n"
        "deployments: {x: {target: m, sets: [x]}}\n"
        "targets: {m: {base_url: 'http://127.0.0.1:9/v1', model: m}}\n"
        "sets: {x: {kind: dynamic, scorers: [{kind: exact}]}}\n"
    )
    return config


def test_the_list_of_commands_is_whole() -> None:
    names = {c.name for c in commands()}
    assert names >= CREATES | WITHOUT_DATABASE
    assert {"alerts list", "db info", "drift explain", "plan", "sets export", "report run"} <= names
    assert len(READING) > 25


@pytest.mark.parametrize("command", READING, ids=lambda command: command.name)
def test_without_daemon_and_database_a_command_reports_it_and_creates_nothing(
    command: Command, run: Run, tmp_path: Path
) -> None:
    config = empty_folder(tmp_path)
    file = tmp_path / "cases.jsonl"
    file.write_text(json.dumps({"id": "a", "input": "Is 2 prime?", "reference": "yes"}) + "\n")
    before = sorted(tmp_path.rglob("*"))
    result = run(*command.arguments(file), "--config", config)
    assert (result.code, result.out) == (2, ""), result
    assert result.err.startswith("no daemon answers at http://127.0.0.1:")
    assert f"there is no database at {tmp_path / 'data' / 'driftd.duckdb'}; start the daemon with" in result.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_check_of_an_empty_folder_creates_nothing(run: Run, tmp_path: Path) -> None:
    config = empty_folder(tmp_path)
    run("check", "--config", config)
    assert sorted(tmp_path.rglob("*")) == [config]
