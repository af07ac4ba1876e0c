"""promptfoo and the Node.js it runs on: both from locked, hashed packages, installed once and kept in a cache."""

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from bench.drift_study.rivals.environment import INSTALL_S, RivalUnavailableError, cache_folder, installed_python

FOLDER = Path(__file__).parent
LOCKED = FOLDER / "promptfoo"


@dataclass(frozen=True, slots=True, kw_only=True)
class Promptfoo:
    """`node` runs `script`."""

    node: Path
    script: Path


def installed_promptfoo() -> Promptfoo:
    """Raises RivalUnavailableError where it cannot be installed: Linux on x86-64 is what is locked."""
    cache = cache_folder()
    bin_folder = installed_python("node", lock=FOLDER / "requirements-node.lock", cache=cache).parent
    digest = hashlib.sha256((LOCKED / "package-lock.json").read_bytes()).hexdigest()[:12]
    folder = cache / f"promptfoo-{digest}"
    script = folder / "node_modules" / "promptfoo" / "dist" / "src" / "entrypoint.js"
    ready = folder / "installed"
    if not ready.exists():
        sys.stderr.write(f"promptfoo: making its environment in {folder}\n")
        _install(bin_folder, folder)
        ready.touch()
    return Promptfoo(node=bin_folder / "node", script=script)


def _install(bin_folder: Path, folder: Path) -> None:
    """By the lock file, whose hashes npm checks; no script of a package runs.

    Not by `npm ci`: it wants the optional packages of all platforms in the lock, of which none is installed.
    """
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(LOCKED, folder)
    quiet = ["--no-audit", "--no-fund", "--loglevel=error"]
    done = subprocess.run(
        [str(bin_folder / "npm"), "install", "--no-save", "--omit=optional", "--ignore-scripts", *quiet],
        cwd=folder,
        env={**os.environ, "PATH": f"{bin_folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=INSTALL_S,
        check=False,
    )
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().split("\n")[-1]
        raise RivalUnavailableError(f"promptfoo: 'npm install' left with {done.returncode}: {said}")
