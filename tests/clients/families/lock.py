"""Compile the locks of the families that the command line names: `python tests/clients/families/lock.py NAME`."""

import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
OPTIONS = "--universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header --no-annotate --quiet"


def main(names: list[str]) -> None:
    """Write the newest compatible versions with their hashes."""
    for name in names:
        folder = HERE / name
        lock = str(folder / "requirements.lock")
        command = ["uv", "pip", "compile", str(folder / "requirements.in"), *OPTIONS.split(), "--upgrade", "-o", lock]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
