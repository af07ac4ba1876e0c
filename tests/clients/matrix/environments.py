"""Create the environment of a family from its lock, once for each content of the lock, in the cache folder.

Each language is one function here: from the family to the command that runs its driver, without the scenario.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from tests.clients.matrix.declaration import FAMILIES, Family
from tests.clients.matrix.java import java_command
from tests.clients.matrix.node import node_command
from tests.clients.matrix.uv import uv_environment


@dataclass(frozen=True, slots=True)
class Driver:
    """How to start a driver: the command before the scenario name, and environment variables."""

    command: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)


def driver(family: Family) -> Driver:
    """Install what the family needs and is missing. Raise RivalUnavailableError with what was tried."""
    return LANGUAGES[family.declared.language](family)


def python_driver(family: Family) -> Driver:
    """Return the environment's own Python."""
    lock = family.folder / "requirements.lock"
    python = uv_environment(lock)
    shared = str(FAMILIES / "shared")
    return Driver((str(python), str(family.folder / "driver.py")), {"PYTHONPATH": shared})


LANGUAGES: Final[Mapping[str, Callable[[Family], Driver]]] = {
    "python": python_driver,
    "node": lambda family: Driver(node_command(family)),
    "java": lambda family: Driver(java_command(family)),
}
