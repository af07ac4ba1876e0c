"""The folder with the tools of the nightly tests, which `.ci/chart-tools` builds."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.helm.binary import ROOT


def folder_of(builder: str, variable: str, *needed: str) -> Path:
    """Return the folder that the variable names, or that the script built; without it skip, and fail in CI."""
    if named := os.environ.get(variable):
        folder = Path(named)
    else:
        where = subprocess.run([ROOT / builder, "--where"], capture_output=True, text=True, check=True)
        folder = Path(where.stdout.strip())
    if missing := [name for name in needed if not (folder / name).exists()]:
        message = f"{folder} has no {', '.join(missing)}; run `{builder}`, or set the environment variable {variable}"
        if named or os.environ.get("CI"):
            pytest.fail(message)
        pytest.skip(message)
    return folder
