"""The commands of `driftd lake`: what they print, and their exit codes."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from monitor.cli.main import main
from monitor.store.engine.migrations import known_migrations
from monitor.store.lake.large_tables import LARGE
from tests.cli.result import Result
from tests.store.build import HandClock
from tests.store.lake.imports.build import CALLS, filled, opened
from tests.store.lake.lakes import Lakes

Run = Callable[..., Result]
DATABASE = "of_commands"


@pytest.fixture
def config(lakes: Lakes, tmp_path: Path) -> Iterator[Path]:
    """A configuration of an empty database and a missing folder."""
    lakes.server.run(f"CREATE DATABASE {DATABASE}")
    path = tmp_path / "driftd.yaml"
    path.write_text(yaml.safe_dump({"store": {"url": lakes.server.url(DATABASE), "data": "lake"}}))
    yield path
    lakes.server.run(f"DROP DATABASE {DATABASE} WITH (FORCE)")


@pytest.fixture
def file(tmp_path: Path, clock: HandClock) -> Path:
    folder = tmp_path / "of the file"
    folder.mkdir()
    (folder / "redaction.salt").write_text("x" * 64)
    return filled(folder / "driftd.duckdb", clock)


@pytest.fixture
def run(config: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `driftd lake` with the configuration: `run("check")`."""

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main(["lake", *map(str, arguments), "--config", str(config)])
        out, err = capsys.readouterr()
        return Result(code=left.value.code, out=out, err=err)

    return call


def document(result: Result, code: int = 0) -> Any:
    assert result.code == code, result.err
    return json.loads(result.out)


def test_init_creates_a_lake_once(run: Run, config: Path, lakes: Lakes) -> None:
    made = document(run("init", "--json"))
    assert made == {
        "database": lakes.server.url(DATABASE),
        "data": str(config.parent / "lake"),
        "created": True,
    }
    assert document(run("init", "--json"))["created"] is False
    again = run("init")
    assert (again.code, again.out.partition(":")[0]) == (0, "the lake is already there")


def test_init_refuses_a_folder_with_files(run: Run, config: Path) -> None:
    (config.parent / "lake").mkdir()
    (config.parent / "lake" / "mine.txt").write_text("x")
    refused = run("init")
    assert refused.code == 2
    assert "mine.txt" in refused.err


def test_check_fails_until_the_lake_is_complete(run: Run, lakes: Lakes) -> None:
    before = document(run("check", "--json"), code=1)
    assert not before["ok"]
    assert "driftd lake init" in before["checks"][-1]["sentence"]
    assert "fail" in run("check").out
    run("init")
    found = document(run("check", "--json"))
    assert found["ok"]
    assert {line["check"] for line in found["checks"]} >= {"duckdb", "postgresql", "tables", "fence", "data"}
    lakes.server.run("ALTER TABLE lake.ducklake_snapshot_changes DISABLE TRIGGER store_extra_info", DATABASE)
    broken = run("check")
    assert broken.code == 1
    assert "fail  fence" in broken.out


def test_status_shows_tables_and_positions(run: Run) -> None:
    missing = run("status")
    assert missing.code == 2
    assert "driftd lake init" in missing.err
    run("init")
    found = document(run("status", "--json"))
    assert found["schema_version"] == known_migrations()[-1].version
    assert {one["table"] for one in found["tables"] if one["files"] is not None} == LARGE
    assert (found["import_of"], found["partitions"]) == (None, [])
    shown = run("status").out
    assert "no positions" not in shown
    assert "import" not in shown.partition("table")[0]


def test_a_configuration_without_a_lake_is_refused(run: Run, config: Path, file: Path) -> None:
    config.write_text("store: {path: x.duckdb}\n")
    for arguments in (["init"], ["check"], ["status"], ["import", file], ["compare", file]):
        refused = run(*arguments)
        assert refused.code == 2
        assert "set store.url and store.data" in refused.err


def test_import_prints_the_rows_and_what_is_to_be_copied(run: Run, file: Path, config: Path) -> None:
    run("init")
    done = run("import", file)
    assert done.code == 0, done.err
    assert f"imported {file}: " in done.out
    assert "file and lake are equal" in done.out
    assert f"copy to {config.parent / 'data'} before `driftd serve`: {file.parent / 'redaction.salt'}" in done.out
    assert re.search(rf"^import +{file}, complete at ", run("status").out, re.MULTILINE)
    assert document(run("status", "--json"))["import_of"] == str(file)


def test_import_and_compare_have_documents(run: Run, file: Path) -> None:
    run("init")
    found = document(run("import", file, "--json"))
    assert (found["source"], found["equal"], found["continued"]) == (str(file), True, False)
    assert found["copy_files"] == [str(file.parent / "redaction.salt")]
    assert found["added"] == sum(one["rows"] for one in found["tables"])
    [calls] = [one for one in found["tables"] if one["table"] == "interaction"]
    assert (calls["rows"], calls["rows_in_lake"], calls["equal"], calls["columns"]) == (CALLS, CALLS, True, [])
    assert calls["digest"] == calls["digest_in_lake"] != "0"
    assert document(run("import", file, "--json"))["continued"]
    assert document(run("compare", file, "--json"))["equal"]


def test_a_difference_has_exit_code_1(run: Run, file: Path, lakes: Lakes) -> None:
    run("init")
    run("import", file)
    assert run("compare", file).code == 0
    lakes.server.run("UPDATE main.run SET state = 'x' WHERE id = 'r'", DATABASE)
    found = document(run("compare", file, "--json"), code=1)
    assert [(one["table"], one["columns"]) for one in found["tables"] if not one["equal"]] == [("run", ["state"])]
    shown = run("compare", file)
    assert shown.code == 1
    assert "no: state" in shown.out
    assert "file and lake differ in run" in shown.out


def test_an_import_that_is_refused_has_exit_code_2(run: Run, file: Path, clock: HandClock, tmp_path: Path) -> None:
    assert "driftd lake init" in run("import", file).err
    run("init")
    assert run("import", file).code == 0
    other = tmp_path / "other.duckdb"
    with opened(other, clock):
        pass
    refused = run("import", other)
    assert refused.code == 2
    assert "another file needs another lake" in refused.err
    assert run("compare", tmp_path / "missing.duckdb").code == 2
