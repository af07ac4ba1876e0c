"""The versions in a lock, by language."""

import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

MAVEN: Final = r"^([\w.-]+:[\w.-]+):([\w.-]+) sha256:[0-9a-f]{64}$"


def locked_versions(folder: Path, language: str) -> dict[str, str]:
    """Return name and version of everything in the folder's lock."""
    return READERS[language](folder)


def _pip(folder: Path) -> dict[str, str]:
    text = (folder / "requirements.lock").read_text()
    return dict(re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", text, flags=re.MULTILINE))


def _npm(folder: Path) -> dict[str, str]:
    packages = json.loads((folder / "package-lock.json").read_text())["packages"]
    return {path.removeprefix("node_modules/"): one["version"] for path, one in packages.items() if path}


def _maven(folder: Path) -> dict[str, str]:
    return dict(re.findall(MAVEN, (folder / "maven.lock").read_text(), flags=re.MULTILINE))


READERS: Final[Mapping[str, Callable[[Path], dict[str, str]]]] = {
    "python": _pip,
    "node": _npm,
    "java": _maven,
}
