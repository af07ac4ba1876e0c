import pytest

from monitor.cli.replays.commands import _print_run
from tests.cli.items import run_item


def test_a_run_that_was_split_names_its_parts(capsys: pytest.CaptureFixture[str]) -> None:
    split = {"part": 2, "of": ["run-1", "run-2"]}
    _print_run(run_item(id="run-2", manifest={"extra": {"split": split}}))
    assert "part 2 of 2, because the version changed during the run: run-1, run-2" in capsys.readouterr().out


def test_a_run_of_one_version_reports_nothing_of_parts(capsys: pytest.CaptureFixture[str]) -> None:
    _print_run(run_item(manifest={"extra": {}}))
    _print_run(run_item(manifest=None))
    assert "split" not in capsys.readouterr().out
