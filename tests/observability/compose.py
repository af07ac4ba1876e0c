"""The Compose file of deploy/compose, and the files that it mounts."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml

from tests.observability.rules import ROOT

FOLDER: Final = ROOT / "deploy" / "compose"


def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((FOLDER / "compose.yaml").read_text(encoding="utf-8")))


def mounted() -> Iterator[tuple[str, Path, str]]:
    """Yield service, file or folder of the repository, and place in the container of every bind mount."""
    for name, service in compose()["services"].items():
        for volume in service.get("volumes", ()):
            source, place, *_ = volume.split(":")
            if source.startswith("."):
                yield name, (FOLDER / source).resolve(), place


def place_of(service: str, file: str) -> str:
    """Return where a container has a file of the repository."""
    return next(place for name, source, place in mounted() if (name, source.name) == (service, file))
