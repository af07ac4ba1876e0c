"""A command run to its end, with what the kernel counted of it."""

import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


class CommandFailedError(Exception):
    """The command left with another code than it should; the message has the end of what it said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`left_with` are the exit codes of one that did its work."""

    argv: Sequence[str]
    folder: Path
    env: Mapping[str, str]
    left_with: frozenset[int] = frozenset({0})


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """`cpu_s` is user and system time of the process and the children it waited for; `peak_rss_mb` of the largest.

    Linux counts the memory of who starts a process as its first: no peak is below this script's own, some 30 MB.
    """

    started_at: float  # of the system-wide monotonic clock
    wall_s: float
    cpu_s: float
    peak_rss_mb: float
    said: str


def run_to_end(command: Command, *, timeout_s: float) -> Ended:
    """Raises CommandFailedError when it fails or takes longer."""
    out, err = command.folder / "stdout.txt", command.folder / "stderr.txt"
    with out.open("wb") as stdout, err.open("wb") as stderr:
        started_at = time.monotonic()
        process = subprocess.Popen(
            list(command.argv),
            cwd=command.folder,
            env=dict(command.env),
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=stderr,
        )
        watchdog = threading.Timer(timeout_s, process.kill)
        watchdog.start()
        try:
            _, status, used = os.wait4(process.pid, 0)
        finally:
            watchdog.cancel()
        wall_s = time.monotonic() - started_at
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in command.left_with:
        said = (_end_of(err) or _end_of(out)).strip()
        raise CommandFailedError(f"'{' '.join(command.argv[:3])} …' left with {process.returncode}: {said}")
    return Ended(
        started_at=started_at,
        wall_s=wall_s,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_rss_mb=used.ru_maxrss / 1024,  # Linux counts in KiB
        said=out.read_text(encoding="utf-8", errors="replace"),
    )


def _end_of(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")[-2000:]
