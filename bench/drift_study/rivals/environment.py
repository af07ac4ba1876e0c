"""An environment of its own for each rival, made once from its locked, hashed requirements and kept in a cache."""

import fcntl
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1]
INSTALL_S = 1800
READY = "installed"  # a file in an environment that is complete
QUIET = {"DO_NOT_TRACK": "1", "NML_DISABLE_USAGE_LOGGING": "1"}  # rivals that report their use are told not to


class RivalUnavailableError(Exception):
    """The rival's environment cannot be made here; the message says what was tried."""


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "driftd-bench"


def lock_file(rival: str) -> Path:
    return FOLDER / f"requirements-{rival}.lock"


def environment_python(rival: str) -> Path:
    """The python of the rival's environment in the cache."""
    return installed_python(rival, lock=lock_file(rival), cache=cache_folder())


def installed_python(rival: str, *, lock: Path, cache: Path) -> Path:
    """Return the python of an environment with what the lock file names; it is installed first where it is missing.

    Two processes that need it at once, as two workers of a test run do, install it once: the second one waits.
    """
    folder = cache / f"{rival}-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    if not (folder / READY).exists():
        with alone(folder):
            _install(rival, lock, folder)
    return folder / "bin" / "python"


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Hold the file lock of one environment. The system releases it when its process ends, however it ends."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        yield


def _install(rival: str, lock: Path, folder: Path) -> None:
    python, ready = folder / "bin" / "python", folder / READY
    if not ready.exists():  # another process may have installed it while this one waited
        sys.stderr.write(f"{rival}: making its environment in {folder}\n")
        run(rival, [sys.executable, "-m", "venv", "--clear", str(folder)])
        # without resolving: the lock is complete, and pip refuses extras of what is locked by hash
        run(rival, [str(python), "-m", "pip", "install", "-q", "--disable-pip-version-check", *_locked(lock)])
        ready.touch()


def _locked(lock: Path) -> list[str]:
    return ["--no-deps", "--require-hashes", "-r", str(lock)]


def run(rival: str, command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, timeout=INSTALL_S, check=False)
    if done.returncode != 0:
        said = (done.stderr or done.stdout).strip().split("\n")[-1]
        raise RivalUnavailableError(f"{rival}: '{' '.join(command[:4])} …' left with {done.returncode}: {said}")
