"""Runs the process that makes a traffic report, and ends it: when it is done, out of time, or when driftd stops."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Final

import pyarrow as pa

import monitor
from monitor.jobs.traffic_reports.worker import PAGE, SUMMARY

_POLL_S: Final = 0.1  # how soon the process reacts to a stop; a stop waits for this and the kill


class TrafficReportFailed(Exception):
    """The process made no traffic report. The message has the reason, without any of its input."""


class Stopped(Exception):
    """driftd stops. The traffic report was abandoned, and the next start makes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFiles:
    """The files that the process wrote. `page` is None when no column had enough values."""

    page: Path | None
    distances: Mapping[str, float | None]
    counts: Mapping[str, tuple[int, int]]
    refused_connections: int  # attempts that were refused; none is expected


def run_worker(calls: pa.Table, folder: Path, *, timeout_s: float, stopping: Event) -> ReportFiles:
    """Make the traffic report of `calls` (columns of traffic_calls.sql) in a child process, within the time limit.

    Raises TrafficReportFailed, or Stopped when `stopping` is set; the process and its children are gone in either case.
    """
    with subprocess.Popen(  # noqa: S603 - our own module
        [sys.executable, "-m", "monitor.jobs.traffic_reports.worker", str(folder), str(int(timeout_s) + 1)],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,  # warnings and tracebacks of libraries may quote a text
        env=_environment(folder),
        cwd=folder,
        start_new_session=True,
    ) as process:
        feeding = Thread(target=_feed, args=(process, _stream(calls)), name="driftd-traffic-report-input", daemon=True)
        feeding.start()
        try:
            _await(process, monotonic() + timeout_s, stopping)
        except BaseException:
            _kill(process)
            raise
        finally:
            feeding.join()
    return _read(folder, process.returncode)


def _await(process: subprocess.Popen[bytes], deadline: float, stopping: Event) -> None:
    while process.poll() is None:
        if stopping.wait(_POLL_S):
            raise Stopped
        if monotonic() > deadline:
            raise TrafficReportFailed("it took longer than traffic_reports.timeout_s and was ended")


def _feed(process: subprocess.Popen[bytes], payload: bytes) -> None:
    """Write the payload in a thread, because a pipe buffers less than the payload. The thread ends with the process at
    the latest.
    """
    assert process.stdin is not None
    with suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(payload)


def _kill(process: subprocess.Popen[bytes]) -> None:
    with suppress(ProcessLookupError):  # it may have ended by itself in between
        os.killpg(process.pid, signal.SIGKILL)


def _read(folder: Path, code: int) -> ReportFiles:
    try:
        summary = json.loads((folder / SUMMARY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        raise TrafficReportFailed(f"its process left with {code} and no summary") from None
    if "error" in summary:
        raise TrafficReportFailed(str(summary["error"]))
    page = folder / PAGE
    return ReportFiles(
        page=page if page.exists() else None,
        distances=summary["distances"],
        counts={name: (before, after) for name, (before, after) in summary["counts"].items()},
        refused_connections=int(summary["refused_connections"]),
    )


def _stream(calls: pa.Table) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, calls.schema) as writer:
        writer.write_table(calls)
    return bytes(sink.getvalue())


def _environment(folder: Path) -> dict[str, str]:
    """Return a new environment: no secret and no proxy of the daemon reaches the process."""
    return {
        "DO_NOT_TRACK": "1",
        "HOME": str(folder),  # libraries keep their caches and ids there, and both go with the folder
        "LANG": "C.UTF-8",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONPATH": str(Path(monitor.__file__).parents[1]),
    }
