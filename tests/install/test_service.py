"""The systemd unit is valid, hardened, and starts commands and paths that exist."""

import configparser
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, read
from tests.docs.test_names import parse

UNIT = ROOT / "deploy" / "driftd.service"
HIGHEST_EXPOSURE = 3.0
DOCUMENTED = "252"  # the version of systemd whose figure the documentation has
needs_systemd = pytest.mark.skipif(
    shutil.which("systemd-analyze") is None and not os.environ.get("CI"), reason="systemd-analyze is not installed"
)


def setting(name: str) -> str:
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(UNIT.read_text(encoding="utf-8"))
    return parser["Service"][name]


def exposure(unit: Path) -> float:
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", str(unit)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    found = re.search(r"Overall exposure level for driftd\.service: ([0-9.]+)", done.stdout)
    assert found, done.stdout + done.stderr
    return float(found[1])


@needs_systemd
def test_the_unit_is_hardened_and_the_documentation_has_its_exposure(tmp_path: Path) -> None:
    found = exposure(UNIT)
    assert found < HIGHEST_EXPOSURE
    version = subprocess.run(
        ["systemd-analyze", "--version"], capture_output=True, text=True, check=True
    ).stdout.split()[1]
    documented = f"an exposure of {found:g} "
    assert version != DOCUMENTED or documented in " ".join(read(ROOT / "docs/install.md").prose.split())
    bare = tmp_path / UNIT.name
    bare.write_text("[Service]\nExecStart=/bin/true\n")
    assert exposure(bare) > HIGHEST_EXPOSURE


@needs_systemd
def test_systemd_accepts_every_line(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text(encoding="utf-8").replace("/opt/driftd/bin/driftd", "/bin/true"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True, text=True, timeout=60, check=False
    )
    assert [line for line in done.stderr.splitlines() if "driftd.service" in line] == []


def test_the_command_of_the_unit_is_valid() -> None:
    program, *arguments = shlex.split(setting("ExecStart"))
    assert program == "/opt/driftd/bin/driftd"
    parse(arguments, whole=True)


def test_the_unit_leaves_the_daemon_the_time_and_the_calls_that_it_needs() -> None:
    assert float(setting("TimeoutStopSec")) >= 60
    assert "@resources" not in setting("SystemCallFilter")  # setrlimit and setpriority


def test_the_commands_of_the_documentation_name_the_paths_of_the_unit() -> None:
    lines = " ".join(read(ROOT / "docs/install.md").shell)
    program = setting("ExecStart").split()[0]
    assert f"{program} init {setting('WorkingDirectory')}" in lines
    assert "cp deploy/driftd.service /etc/systemd/system/" in lines
