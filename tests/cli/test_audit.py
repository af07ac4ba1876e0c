"""`driftd db audit` without a daemon: commands write entries, and a changed file is found with exit code 1."""

from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import Run
from tests.cli.house import write_house
from tests.ports import free_port


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_house(tmp_path, model_url="http://127.0.0.1:9/v1", api_port=free_port())


def test_a_command_writes_entries_and_a_changed_one_is_named(config: Path, run: Run, tmp_path: Path) -> None:
    assert run("sets", "import", "primes", tmp_path / "primes.jsonl", "--config", config).code == 0
    made = run("tokens", "create", "root", "--role", "admin", "--as", "Ann", "--config", config)
    assert made.code == 0, made.err
    entries = run("db", "audit-list", "--kind", "write", "--config", config, "--json").document["items"]
    assert (entries[0]["operation"], entries[0]["principal"]) == (
        "POST /api/v1/tokens", "Ann at the file",
    )  # fmt: skip
    whole = run("db", "audit", "--config", config)
    assert (whole.code, whole.out.startswith("ok: 2 entries")) == (0, True), whole.out
    with duckdb.connect(tmp_path / "data" / "driftd.duckdb") as file:
        file.execute("UPDATE audit_entry SET principal = 'Bob' WHERE number = 1")
    broken = run("db", "audit", "--config", config)
    assert (broken.code, broken.out.splitlines()[0]) == (
        1, "broken link: entry 1 was changed: its content does not match its hash",
    )  # fmt: skip
    assert run("db", "audit-acknowledge", "--config", config).code == 0
    assert run("db", "audit", "--config", config).code == 0
