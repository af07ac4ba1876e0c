"""Shells complete commands and options. docs/install.md has the commands."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT, read

PROGRAM = "from monitor.cli.main import main; main()"
WAIT_S = 120


def output(environment: dict[str, str]) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=WAIT_S,
        check=True,
    )
    return done.stdout


@pytest.mark.parametrize(
    ("words", "completed"),
    [
        ("driftd se", {"serve", "sets"}),
        ("driftd sets im", {"import"}),
        ("driftd serve --dashboard-p", {"--dashboard-port"}),
    ],
)
def test_commands_and_options_are_completed(words: str, completed: set[str]) -> None:
    count = len(words.split()) - 1
    bash = {"_DRIFTD_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(count)}
    assert set(output(bash).split()) == completed
    fish = {
        "_DRIFTD_COMPLETE": "complete_fish",
        "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        "_TYPER_COMPLETE_ARGS": words,
    }
    assert {line.split("\t")[0] for line in output(fish).splitlines() if line} == completed
    zsh = output({"_DRIFTD_COMPLETE": "complete_zsh", "_TYPER_COMPLETE_ARGS": words})
    assert all(f'"{word}"' in zsh for word in completed)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_of_a_shell_is_valid(shell: str, tmp_path: Path) -> None:
    script = tmp_path / "completion"
    script.write_text(output({"_DRIFTD_COMPLETE": f"source_{shell}"}))
    assert f"_DRIFTD_COMPLETE=complete_{shell}" in script.read_text()
    if shutil.which(shell) is None and not os.environ.get("CI"):
        pytest.skip(f"{shell} is not installed")
    subprocess.run([shell, "-n", str(script)], check=True, timeout=WAIT_S)


def test_the_line_of_the_documentation_completes_in_bash(tmp_path: Path) -> None:
    [lines] = [text for text in read(ROOT / "docs/install.md").fences_of("text") if "source_bash" in text]
    command = tmp_path / "driftd"
    command.write_text(f"#!/bin/sh\nexec {sys.executable} -c '{PROGRAM}' \"$@\"\n")
    command.chmod(0o755)
    home = {"HOME": str(tmp_path), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    script = f"{lines.splitlines()[0]}\nsource ~/.bashrc\nCOMP_WORDS=(driftd se) COMP_CWORD=1\n"
    script += 'complete -p driftd && _driftd_completion driftd && echo "${COMPREPLY[@]}"'
    done = subprocess.run(["bash", "-c", script], env=home, capture_output=True, text=True, timeout=WAIT_S, check=True)
    assert done.stdout.splitlines() == ["complete -o default -F _driftd_completion driftd", "serve sets"]
