"""A real promtool and Prometheus, from `.ci/promtool`."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[3]
HOW: Final = "run `.ci/promtool`, which downloads it, or name one with the environment variable PROMTOOL"


def find_promtool(env: Mapping[str, str] = os.environ) -> Path:
    """Return the path of promtool. Without one, skip on a developer's machine and fail in CI."""
    named = env.get("PROMTOOL")
    if named and not Path(named).is_file():
        pytest.fail(f"PROMTOOL is {named}, which is no file; {HOW}")
    if named:
        return Path(named)
    reported = subprocess.run([ROOT / ".ci/promtool", "--where"], capture_output=True, text=True, check=True)
    found = Path(reported.stdout.strip())
    if not found.is_file():
        (pytest.fail if env.get("CI") else pytest.skip)(f"there is no promtool; {HOW}")
    return found


def promtool(*arguments: object) -> None:
    """Run promtool; its output is in the error when it fails."""
    done = subprocess.run([find_promtool(), *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
