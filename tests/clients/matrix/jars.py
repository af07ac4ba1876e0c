"""The jars of a family in Java: `pom.xml` has the requirements, `maven.lock` the resolved jars with their hashes.

`python -m tests.clients.matrix.jars NAME` writes the lock of a family, or of `shared/java` with the compiler.
"""

import hashlib
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from bench.drift_study.rivals.environment import RivalUnavailableError, alone, cache_folder, run
from tests.clients.matrix.declaration import FAMILIES

RESOLVE: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.11.0:copy-dependencies"
LOCK: Final = "maven.lock"
READY: Final = "installed"


def jars(folder: Path) -> Mapping[str, Path]:
    """Return the coordinates and the file of every locked jar. Raise RivalUnavailableError when a jar
    has another hash.
    """
    lock = (folder / LOCK).read_text()
    made = cache_folder() / f"family-{hashlib.sha256(lock.encode()).hexdigest()[:12]}"
    with alone(made):
        if not (made / READY).exists():
            shutil.rmtree(made, ignore_errors=True)
            _resolve(folder, made)
            differing = sorted(set(locked(made)) ^ set(lock.splitlines()))
            if differing:
                raise RivalUnavailableError(f"{folder.name}: differs from {LOCK}: {', '.join(differing)}")
            (made / READY).touch()
    return found(made)


def write_lock(folder: Path) -> None:
    """Resolve the requirements and write the lock."""
    made = cache_folder() / f"resolved-{folder.name}"
    with alone(made):
        shutil.rmtree(made, ignore_errors=True)
        _resolve(folder, made)
        (folder / LOCK).write_text("".join(f"{line}\n" for line in locked(made)))
        shutil.rmtree(made)


def _resolve(folder: Path, to: Path) -> None:
    maven = shutil.which("mvn")
    if maven is None:
        raise RivalUnavailableError(f"{folder.name}: Maven is not installed")
    layout = "-Dmdep.useRepositoryLayout=true"
    run(folder.name, [maven, "-q", "-B", "-f", str(folder / "pom.xml"), RESOLVE, layout, f"-DoutputDirectory={to}"])


def found(folder: Path) -> dict[str, Path]:
    """Return the jars of a repository. The path has the coordinates: GROUP/WITH/SLASHES/ARTIFACT/VERSION/FILE."""
    jars_of = {}
    for path in sorted(folder.rglob("*.jar")):
        *group, artifact, version, _ = path.relative_to(folder).parts
        jars_of[f"{'.'.join(group)}:{artifact}:{version}"] = path
    return jars_of


def locked(folder: Path) -> list[str]:
    """Return the lines of the lock for the jars in a folder."""
    hashes = {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in found(folder).items()}
    return [f"{name} sha256:{digest}" for name, digest in hashes.items()]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        write_lock(FAMILIES / name)
