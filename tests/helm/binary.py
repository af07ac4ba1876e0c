"""Which helm the tests run: the one that HELM names, one on the PATH, or the one that `.ci/helm` built."""

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

import pytest

ROOT = Path(__file__).parents[2]
BUILDER = ROOT / ".ci/helm"
HOW = "run `.ci/helm`, which builds one, or name one with the environment variable HELM"


def find_helm(env: Mapping[str, str]) -> Path | None:
    """A helm that is there, or None; a HELM that names nothing is a mistake to be told, not to be passed over."""
    if named := env.get("HELM"):
        if not Path(named).is_file():
            pytest.fail(f"HELM is {named}, which is no file; {HOW}")
        return Path(named)
    if on_path := shutil.which("helm", path=env.get("PATH")):
        return Path(on_path)
    built = where_built(env)
    return built if built.is_file() else None


def where_built(env: Mapping[str, str]) -> Path:
    """Where `.ci/helm` puts its binary."""
    said = subprocess.run([BUILDER, "--where"], env=dict(env), capture_output=True, text=True, check=True)
    return Path(said.stdout.strip())


def without_helm(env: Mapping[str, str]) -> NoReturn:
    """Skip on a developer's machine; fail in CI, where a chart that nobody rendered must not pass."""
    if env.get("CI"):
        pytest.fail(f"there is no helm; {HOW}")
    pytest.skip(f"there is no helm; {HOW}")
