"""A Python environment from a lock with hashes. uv, which has its own lock, creates it ten times as fast as pip."""

import hashlib
from pathlib import Path
from typing import Final

from bench.drift_study.rivals.environment import alone, cache_folder, installed_python, run
from tests.clients.matrix.declaration import FAMILIES

UV_LOCK: Final = FAMILIES / "installer.lock"
READY: Final = "installed"


def uv_environment(lock: Path) -> Path:
    """Return the Python of an environment with exactly the locked packages. Two families with one lock share it."""
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


def packaged(lock: Path, file: str) -> Path:
    """Return a file of a locked package: toolchains of other languages are Python packages, too."""
    [found] = uv_environment(lock).parents[1].glob(f"lib/python3*/site-packages/{file}")
    return found
