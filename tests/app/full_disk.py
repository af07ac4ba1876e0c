"""A file system that can be filled and freed; only root can mount one."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

BLOCK = 64 * 1024


@contextmanager
def small_disk(folder: Path, size_mb: int) -> Iterator[Path]:
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size_mb}m", "tmpfs", folder], capture_output=True, check=False
    )
    if made.returncode:
        pytest.skip("mounting a small disk needs root and CAP_SYS_ADMIN")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def fill(folder: Path) -> Path:
    """Write a file that takes all free space."""
    ballast = folder / "ballast"
    with ballast.open("wb", buffering=0) as file:
        for size in (BLOCK, 1):
            try:
                while file.write(os.urandom(size)):
                    pass
            except OSError:
                continue
    return ballast


def fill_up_to(folder: Path, free_mb: float) -> Path:
    """Write a file that leaves `free_mb` MiB free. Repeated calls make it longer or shorter."""
    ballast = folder / "ballast"
    held = ballast.stat().st_size if ballast.exists() else 0
    size = held + shutil.disk_usage(folder).free - int(free_mb * 2**20)
    with ballast.open("ab") as file:
        file.truncate(max(0, size)) if size < held else file.write(os.urandom(size - held))
    return ballast


def make_read_only(folder: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", folder], check=True)
