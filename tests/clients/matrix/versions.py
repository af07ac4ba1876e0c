"""The versions that a lock names, by language."""

import json
import re
from pathlib import Path


def locked_versions(folder: Path, language: str) -> dict[str, str]:
    """Name and version of everything in the folder's lock."""
    if language == "python":
        text = (folder / "requirements.lock").read_text()
        return dict(re.findall(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==([^\s;\\]+)", text, flags=re.MULTILINE))
    if language == "node":
        packages = json.loads((folder / "package-lock.json").read_text())["packages"]
        return {path.removeprefix("node_modules/"): one["version"] for path, one in packages.items() if path}
    raise NotImplementedError(f"how are the versions of a lock of {language} read?")
