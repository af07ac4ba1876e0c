"""The distributions that `make dist` builds contain everything, and the wheel works outside the checkout.

The wheel is installed without extras, with the locked versions of its dependencies.
"""

import json
import os
import subprocess
import tarfile
import zipfile
from pathlib import Path

import httpx
import pytest

from bench.drift_study.rivals.environment import RivalUnavailableError, cache_folder, installed_python
from monitor.jobs.traffic_reports.available import REQUIREMENT
from tests.clients.matrix.uv import UV_LOCK
from tests.install.installed import Installed, serving
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
PACKAGES = ("monitor", "replay", "dashboards")
IMPORT_ALL = """
import importlib, json, pkgutil
import dashboards, monitor, replay
programs = {"dashboards.app", "dashboards.server", "replay.recorded.__main__"}
programs |= {"replay.sandbox.driver", "replay.sandbox.guard"}
failed, names = {}, []
for package in (dashboards, monitor, replay):
    names += [found.name for found in pkgutil.walk_packages(package.__path__, package.__name__ + ".")]
for name in names:
    if name not in programs:
        try:
            importlib.import_module(name)
        except Exception as error:
            failed[name] = repr(error)
print(json.dumps({"modules": len(names), "failed": failed}))
"""
BUILD_S, INSTALL_S, DEMO_S = 300, 900, 1800

pytestmark = [pytest.mark.xdist_group("wheel"), pytest.mark.timeout(2400)]


def tracked(*folders: str) -> list[str]:
    """Return the files of the repository; without git, for example in an sdist, those that exist."""
    done = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return [name for name in done.stdout.split("\0") if name and (ROOT / name).is_file()]
    found = (path for folder in folders for path in (ROOT / folder).rglob("*"))
    return [str(path.relative_to(ROOT)) for path in found if path.is_file() and "__pycache__" not in path.parts]


def python_of(name: str, lock: Path) -> Path:
    try:
        return installed_python(name, lock=lock, cache=cache_folder())
    except RivalUnavailableError as error:
        if os.environ.get("CI"):
            raise
        pytest.skip(str(error))


def run(command: list[str], *, timeout_s: float, cwd: Path | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=timeout_s, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the sdist, and with the wheel that was built from the sdist."""
    folder = tmp_path_factory.mktemp("dist")
    python = python_of("build", ROOT / "requirements-build.lock")
    run([str(python), "-m", "build", "--no-isolation", "--outdir", str(folder), str(ROOT)], timeout_s=BUILD_S)
    return folder


@pytest.fixture(scope="module")
def wheel(dist: Path) -> Path:
    [found] = dist.glob("driftd-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """A new environment with the wheel; the hashes of the lock are verified."""
    folder = tmp_path_factory.mktemp("installed")
    tool = python_of("uv", UV_LOCK)
    uv, python = str(tool.with_name("uv")), folder / "venv" / "bin" / "python"
    run([uv, "venv", "-q", "--python", str(tool), str(folder / "venv")], timeout_s=INSTALL_S)
    locked = ["--constraint", str(ROOT / "requirements.lock"), "--verify-hashes"]
    run([uv, "pip", "install", "-q", "--python", str(python), *locked, str(wheel)], timeout_s=INSTALL_S)
    (folder / "empty").mkdir()
    return Installed(command=python.with_name("driftd"), python=python, folder=folder / "empty")


def test_the_sdist_contains_every_file_of_the_repository(dist: Path) -> None:
    [sdist] = dist.glob("driftd-*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert (
        set(tracked(*PACKAGES, "docs", "examples", "tests", "bench", "helm", "Makefile", "README.md")) - names == set()
    )


def test_the_wheel_contains_code_data_and_documentation(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    assert set(tracked(*PACKAGES)) - names == set()
    pages = {name for name in names if "/share/doc/driftd/" in name}
    assert {name.rpartition("/share/doc/driftd/")[2] for name in pages} >= {
        "config.md",
        "install.md",
        "images/alert.png",
    }
    assert any(name.endswith("/share/driftd/deploy/driftd.service") for name in names)
    assert {"monitor/cli/demo/primes.jsonl.gz", "monitor/cli/starter.yaml"} <= names
    assert {
        name for name in names if not name.startswith((*(f"{package}/" for package in PACKAGES), "driftd-"))
    } == set()


def test_the_installed_code_is_not_that_of_the_checkout(installed: Installed) -> None:
    code = "import monitor, replay, dashboards; print(monitor.__file__, replay.__file__, dashboards.__file__)"
    places = installed.python_output(code).split()
    assert [Path(place).is_relative_to(installed.python.parents[1]) for place in places] == [True] * 3
    assert (installed.python.parents[1] / "share/doc/driftd/connect.md").exists()


def test_every_module_can_be_imported_without_the_extras(installed: Installed) -> None:
    """Commands, loops and pages import much of the code only when it runs."""
    answer = json.loads(installed.python_output(IMPORT_ALL))
    assert answer["modules"] > 500
    assert answer["failed"] == {}


def test_the_command_reports_its_version(installed: Installed, wheel: Path) -> None:
    assert installed.run("--version") == f"driftd {wheel.name.split('-')[1]}\n"


def test_the_demo_runs_from_an_empty_folder(installed: Installed) -> None:
    document = json.loads(installed.run("demo", "--json", timeout_s=DEMO_S))
    assert any(each["verdict"] == "regression" for each in document["comparisons"])
    assert list(installed.folder.iterdir()) == []


def test_daemon_and_dashboard_run_from_an_empty_folder(installed: Installed) -> None:
    """`driftd init` writes the configuration with which they start."""
    made = json.loads(installed.run("init", "--json"))
    api, pages = f"http://127.0.0.1:{made['api_port']}", free_port()
    headers = {"Authorization": f"Bearer {(installed.folder / 'secrets/token').read_text().strip()}"}
    with (
        serving(installed, "serve", ready=f"{api}/readyz"),
        serving(installed, "dashboard", "--port", str(pages), ready=f"http://127.0.0.1:{pages}/_stcore/health"),
    ):
        assert httpx.get(f"{api}/api/v1/rules").status_code == 401
        runbook = httpx.get(f"{api}/api/v1/rules/Watchdog/runbook", headers=headers)
        assert (runbook.status_code, "## Mitigation" in runbook.text) == (200, True)
        checked = json.loads(installed.run("check", "--token-file", "secrets/token", "--json"))
        assert checked["ok"]


def test_check_names_the_missing_extra(installed: Installed) -> None:
    assert installed.python_output("import importlib.util as u; print(u.find_spec('evidently'))").strip() == "None"
    config = installed.folder / "with-a-deployment.yaml"
    config.write_text(
        "deployments: {shop: {target: model, sets: []}}\n"
        "targets: {model: {base_url: http://127.0.0.1:9/v1, model: m}}\n"
        f"api: {{port: {free_port()}}}\n"
    )
    done = installed.start("check", "--json", "--config", config.name)
    lines = {line["check"]: line for line in json.loads(done.communicate(timeout=400)[0])["checks"]}
    assert lines["traffic reports"]["state"] == "warn"
    assert f"pip install '{REQUIREMENT}'" in lines["traffic reports"]["sentence"]
    config.unlink()
