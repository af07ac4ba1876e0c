"""The dashboard has the types that Grafana publishes as a package: every field exists, and has a permitted value."""

import hashlib
import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.observability.dashboard import dashboard

FOLDER: Final = Path(__file__).parents[1] / "grafana"
FLAGS: Final = ("--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext")


@pytest.fixture(scope="module")
def installed() -> Path:
    """Return a folder with the packages of the lock, installed once."""
    if shutil.which("npm") is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("npm is not on the PATH")
    digest = hashlib.sha256((FOLDER / "package-lock.json").read_bytes()).hexdigest()[:12]
    base = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache"))
    folder = base / "driftd-ci" / f"grafana-types-{digest}"
    if not (folder / "node_modules" / ".bin" / "tsc").exists():
        folder.mkdir(parents=True, exist_ok=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(FOLDER / name, folder)
        subprocess.run(["npm", "ci", "--no-audit", "--no-fund"], cwd=folder, check=True, capture_output=True)
    return folder


def errors(installed: Path, folder: Path, document: dict[str, Any]) -> str:
    """Return the errors of the TypeScript compiler; empty without any."""
    (folder / "dashboard.json").write_text(json.dumps(document))
    (folder / "node_modules").symlink_to(installed / "node_modules")
    program = folder / "dashboard.ts"
    subprocess.run(["node", FOLDER / "program.mjs", folder / "dashboard.json", program], check=True)
    compiler = installed / "node_modules" / ".bin" / "tsc"
    return subprocess.run([compiler, *FLAGS, program], cwd=folder, capture_output=True, text=True, check=False).stdout


def test_the_dashboard_has_the_types_of_grafana(installed: Path, tmp_path: Path) -> None:
    assert errors(installed, tmp_path, dashboard()) == ""


def test_an_unknown_field_and_a_wrong_value_are_found(installed: Path, tmp_path: Path) -> None:
    document = dashboard()
    first, second, *_ = (one for one in document["panels"] if one["type"] == "timeseries")
    first["fieldConfig"]["defaults"]["custom"]["drawStyle"] = "squiggle"
    second["made_up"] = 1  # the compiler reports one error of each panel
    found = errors(installed, tmp_path, document)
    assert "made_up" in found
    assert "squiggle" in found
