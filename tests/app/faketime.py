"""A clock of a process that the test moves, with libfaketime of Debian from `.ci/faketime`."""

import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

FETCHER = Path(__file__).parents[2] / ".ci/faketime"
HOW = "run `.ci/faketime`, which downloads it, or name it with the environment variable FAKETIME_LIBRARY"


class MovedClock:
    """The wall clock of a process. Its monotonic clock runs on, as when a person or NTP sets the clock of a machine."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "clock"
        self._offset_s = 0.0
        self.environment = {
            "LD_PRELOAD": str(_library()),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "FAKETIME_DONT_RESET": "1",
        }
        self.set_to(datetime.now(UTC))

    def set_to(self, instant: datetime) -> None:
        """Set the clock; it runs on from there."""
        self._offset_s = (instant - datetime.now(UTC)).total_seconds()
        fresh = self._file.with_suffix(".new")
        fresh.write_text(f"{self._offset_s:+.3f}\n")
        fresh.replace(self._file)


def _library() -> Path:
    """Return the path. Without one, skip on a developer's machine and fail in CI."""
    named = os.environ.get("FAKETIME_LIBRARY")
    found = named or subprocess.run([FETCHER, "--where"], capture_output=True, text=True, check=True).stdout.strip()
    if not Path(found).is_file():
        (pytest.fail if named or os.environ.get("CI") else pytest.skip)(f"there is no libfaketime; {HOW}")
    return Path(found)
