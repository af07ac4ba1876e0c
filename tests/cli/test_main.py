import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from monitor.cli import lazy
from monitor.cli.main import main
from tests.cli.conftest import Run


def test_help_names_every_command_and_leaves_with_nought(run: Run) -> None:
    result = run("--help")
    assert result.code == 0
    for entry in lazy.ENTRIES:
        assert entry.name in result.out


@pytest.mark.parametrize("entry", lazy.ENTRIES, ids=lambda entry: entry.name)
def test_every_command_explains_itself(run: Run, entry: lazy.Entry) -> None:
    result = run(entry.name, "--help")
    assert result.code == 0
    assert f"Usage: driftd {entry.name}" in result.out


def test_help_loads_nothing_heavy() -> None:
    heavy = "duckdb pydantic httpx fastapi scipy numpy monitor.app monitor.config.tree"
    code = (
        "import sys\n"
        "from monitor.cli.main import main\n"
        "try: main(['--help'])\n"
        f"except SystemExit: print(sorted(set({heavy.split()!r}) & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr == "[]\n"


def test_a_replay_loads_only_what_it_uses(tmp_path: Path) -> None:
    """Every part of a replay is built here, although no run is due."""
    (tmp_path / "driftd.yaml").write_text(
        "api: {port: 1}\n"  # no daemon listens there
        "deployments: {bench: {target: mock, sets: [sums]}}\n"
        "targets: {mock: {base_url: 'http://127.0.0.1:1/v1', model: mock-model}}\n"
        "sets: {sums: {kind: dynamic, scorers: [{kind: exact}]}}\n"
    )
    unused = (
        "grpc httpx jinja2 joserfc kafka monitor.feedback.turn_detector opentelemetry.sdk pandas phonenumbers rich "
        "scipy uvicorn"
    )
    code = (
        "import sys\n"
        "from monitor.cli.main import main\n"
        "try: main(['replay', 'resume', '--json'])\n"
        "except SystemExit: import replay.run.runner\n"
        f"print(sorted(set({unused.split()!r}) & set(sys.modules)), file=sys.stderr)\n"
        "assert 'monitor.jobs.replay.run_loop' in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "[]"), done.stderr


def test_the_version_is_the_distributions(run: Run) -> None:
    result = run("--version")
    assert (result.code, result.out) == (0, f"driftd {version('driftd')}\n")


def test_a_slip_of_the_pen_is_answered_with_the_nearest_command(run: Run) -> None:
    result = run("repla", "list")
    assert result.code == 2
    assert "Did you mean" in result.err
    assert "'replay'" in result.err


def test_a_configuration_that_is_not_there_is_one_sentence(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "driftd.yaml"
    result = run("db", "info", "--config", path)
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        f"{path}: the configuration file does not exist; write one (docs/config.md) or name it with --config\n"
    )


def test_every_problem_of_a_configuration_is_a_line(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "driftd.yaml"
    path.write_text("api: {port: -1}\nstore: {pat: x}\n")
    result = run("replay", "list", "--config", path)
    assert (result.code, result.out) == (2, "")
    assert result.err.splitlines() == [
        "driftd.yaml line 2: store.pat: the key is unknown; did you mean path?",
        "driftd.yaml line 1: api.port: must be at least 0 (got -1)",
    ]


def test_a_bug_keeps_its_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(lazy.Entry, "load", lambda entry: broken())
    with pytest.raises(ZeroDivisionError, match="a bug"):
        main(["db", "info"])
