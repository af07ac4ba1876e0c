"""The process that makes one traffic report: `python -m monitor.jobs.traffic_reports.worker FOLDER SECONDS <
calls.arrow`.

Logged calls arrive on standard input as an Arrow stream, so that no text of a user is written to a disk. The process
writes a page and a summary of derived columns to FOLDER. It opens no connection, runs at low priority and exits after
SECONDS.
"""

import json
import os
import signal
import sys
import traceback
from pathlib import Path
from typing import Any, BinaryIO, Final

PAGE: Final = "traffic_report.html"
SUMMARY: Final = "summary.json"
REFERENCE: Final = "reference"
NOW: Final = "now"
_CONNECTING: Final = frozenset({"socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.sendto"})


class NetworkBlock:
    """Refuses every connection of this process, from any library, and counts the attempts."""

    def __init__(self) -> None:
        self.refused = 0
        sys.addaudithook(self._refuse)

    def _refuse(self, event: str, _arguments: tuple[Any, ...]) -> None:
        if event in _CONNECTING:
            self.refused += 1
            raise PermissionError("the process of a traffic report opens no connection")


def main(arguments: list[str], calls: BinaryIO) -> int:
    folder, seconds = Path(arguments[0]), int(arguments[1])
    signal.alarm(seconds)  # If the daemon is killed, nothing else ends this process.
    os.nice(10)
    os.environ["DO_NOT_TRACK"] = "1"  # Evidently's switch: any value turns its telemetry off
    block = NetworkBlock()
    try:
        summary = _make(calls, folder)
    except Exception as error:  # noqa: BLE001 - the message may quote a text: only the place is reported
        summary = {"error": _place_of(error)}
    (folder / SUMMARY).write_text(json.dumps(summary | {"refused_connections": block.refused}), encoding="utf-8")
    return int("error" in summary)


def _make(calls: BinaryIO, folder: Path) -> dict[str, Any]:
    import pyarrow as pa
    import pyarrow.compute as pc

    from monitor.jobs.traffic_reports.columns import derive
    from monitor.jobs.traffic_reports.evidently_report import measure

    with pa.ipc.open_stream(calls) as stream:
        table = stream.read_all()
    windows = [table.filter(pc.equal(table["window"], name)).to_pydict() for name in (REFERENCE, NOW)]
    measured = measure(*derive(*windows))
    if measured.html:
        (folder / PAGE).write_text(measured.html, encoding="utf-8")
    return {"distances": dict(measured.distances), "counts": {name: list(n) for name, n in measured.counts.items()}}


def _place_of(error: Exception) -> str:
    """Return where an error was raised: `ValueError at pandas/core/frame.py:12`."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{type(error).__name__} at {'/'.join(Path(frame.filename).parts[-3:])}:{frame.lineno}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdin.buffer))
