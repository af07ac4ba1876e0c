"""How a rival is installed and spoken to, with a rival of our own making."""

import subprocess
import sys
from pathlib import Path
from subprocess import PIPE

import pytest

from bench.drift_study.rivals.environment import RivalUnavailableError, installed_python
from bench.drift_study.rivals.process import RivalProcess

ROOT = Path(__file__).parents[2]
ECHO = """
import json, sys
for line in sys.stdin:
    print(json.dumps({"statistic": json.loads(line)["passes"]}), flush=True)
"""


def worker(folder: Path, text: str) -> RivalProcess:
    script = folder / "worker.py"
    script.write_text(text)
    return RivalProcess("echo", python=Path(sys.executable), script=script)


def test_a_worker_answers_line_by_line(tmp_path: Path) -> None:
    rival = worker(tmp_path, ECHO)
    assert rival.ask({"passes": [1, 2]}) == [1.0, 2.0]
    assert rival.ask({"passes": [3]}) == [3.0]
    rival.close()


def test_a_worker_imports_no_module_of_its_folder(tmp_path: Path) -> None:
    (tmp_path / "json.py").write_text("raise SystemExit(7)")
    rival = worker(tmp_path, ECHO)
    assert rival.ask({"passes": [1]}) == [1.0]
    rival.close()


def test_a_worker_that_leaves_is_named(tmp_path: Path) -> None:
    rival = worker(tmp_path, "import sys; sys.stdin.readline(); sys.exit(3)")
    with pytest.raises(RivalUnavailableError, match="echo: its worker left with 3"):
        rival.ask({})
    rival.close()


def test_an_environment_is_made_once_for_a_lock_file(tmp_path: Path) -> None:
    lock = tmp_path / "requirements-none.lock"
    lock.write_text("# nothing\n")
    python = installed_python("none", lock=lock, cache=tmp_path)
    made = (python.parents[1] / "installed").stat().st_mtime_ns
    assert installed_python("none", lock=lock, cache=tmp_path) == python
    assert (python.parents[1] / "installed").stat().st_mtime_ns == made


def test_two_builders_at_once_make_one_environment(tmp_path: Path) -> None:
    """On a fresh machine two workers of one test run need it in the same second."""
    lock = tmp_path / "requirements-none.lock"
    lock.write_text("# nothing\n")
    build = (
        "import sys; from pathlib import Path; from bench.drift_study.rivals.environment import installed_python\n"
        "print(installed_python('none', lock=Path(sys.argv[1]), cache=Path(sys.argv[2])))"
    )
    command = [sys.executable, "-c", build, str(lock), str(tmp_path / "cache")]
    builders = [subprocess.Popen(command, stdout=PIPE, stderr=PIPE, text=True, cwd=ROOT) for _ in range(3)]
    ended = [builder.communicate(timeout=120) for builder in builders]
    assert [builder.returncode for builder in builders] == [0, 0, 0], ended
    [python] = {out.strip() for out, _ in ended}
    assert Path(python).exists()
    assert sum("making its environment" in err for _, err in ended) == 1


def test_a_failed_installation_names_the_command(tmp_path: Path) -> None:
    lock = tmp_path / "requirements-unhashed.lock"
    lock.write_text("numpy==1.0\n")  # without a hash pip refuses it before it looks anywhere
    with pytest.raises(RivalUnavailableError, match=r"unhashed: .* left with 1"):
        installed_python("unhashed", lock=lock, cache=tmp_path)
