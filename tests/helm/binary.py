"""The helm binary of the tests: that of the variable HELM, one on the PATH, or the one that `.ci/helm` built."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[2]
BUILDER = ROOT / ".ci/helm"
HOW = "run `.ci/helm`, which builds one, or set the environment variable HELM"


def find_helm(env: Mapping[str, str]) -> Path | None:
    """Return the path of helm; None without one. A HELM that does not exist fails the test."""
    if named := env.get("HELM"):
        if not Path(named).is_file():
            pytest.fail(f"HELM is {named}, which is not a file; {HOW}")
        return Path(named)
    if on_path := shutil.which("helm", path=env.get("PATH")):
        return Path(on_path)
    built = where_built(env)
    return built if built.is_file() else None


def where_built(env: Mapping[str, str]) -> Path:
    """Return the path of the binary that `.ci/helm` builds."""
    result = subprocess.run([BUILDER, "--where"], env=dict(env), capture_output=True, text=True, check=True)
    return Path(result.stdout.strip())


def without_helm(env: Mapping[str, str]) -> NoReturn:
    """Skip the tests on a developer's machine and fail them in CI."""
    if env.get("CI"):
        pytest.fail(f"helm is not installed; {HOW}")
    pytest.skip(f"helm is not installed; {HOW}")
