"""Makes a family's environment from its lock, once for each content of the lock, in the cache folder.

A language is one function here: from the family to the command that runs its driver, without the scenario.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from bench.drift_study.rivals.environment import alone, cache_folder, installed_python, run
from tests.clients.matrix.declaration import FAMILIES, Family
from tests.clients.matrix.node import node_command

UV_LOCK: Final = FAMILIES / "installer.lock"
READY: Final = "installed"


@dataclass(frozen=True, slots=True)
class Driver:
    """How a driver is started: the command before the scenario's name, and variables of the environment."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def driver(family: Family) -> Driver:
    """Install what the family needs where that is missing. Raises RivalUnavailableError with what was tried."""
    return LANGUAGES[family.declared.language](family)


def python_driver(family: Family) -> Driver:
    """An environment made by uv, which itself comes from a lock: ten times as fast as pip."""
    lock = family.folder / "requirements.lock"
    python = uv_environment(lock)
    shared = str(FAMILIES / "shared")
    return Driver((str(python), str(family.folder / "driver.py")), {"PYTHONPATH": shared})


def uv_environment(lock: Path) -> Path:
    """The python of an environment with exactly what the lock names. Two families with one lock share it."""
    folder = cache_folder() / f"family-{hashlib.sha256(lock.read_bytes()).hexdigest()[:12]}"
    python, ready = folder / "bin" / "python", folder / READY
    if ready.exists():
        return python
    tool = installed_python("uv", lock=UV_LOCK, cache=cache_folder())
    uv = str(tool.with_name("uv"))
    with alone(folder):
        if not ready.exists():
            name = lock.parent.name
            run(name, [uv, "venv", "-q", "--clear", "--python", str(tool), str(folder)])
            locked = ["--no-deps", "--require-hashes", "-r", str(lock)]
            run(name, [uv, "pip", "install", "-q", "--python", str(python), "--compile-bytecode", *locked])
            ready.touch()
    return python


LANGUAGES: Final[Mapping[str, Callable[[Family], Driver]]] = {
    "python": python_driver,
    "node": lambda family: Driver(node_command(family)),
}
