"""JSON Lines files of native records: read as a stream, handed over in batches, safe to read twice."""

import os
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from monitor.clock import Clock
from monitor.domain.feedback import Feedback
from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord, StoreUnavailable, UsageError
from monitor.ingest.intake import Batch, Counts, Intake, Receipt
from monitor.ingest.json_text import read_json
from monitor.ingest.native import decode_record
from monitor.ingest.pipeline import Normaliser
from monitor.store.dead_letters import DeadLetter

SOURCE = "file"
MAX_LINE_BYTES = 16 * 1024 * 1024
OUTSTANDING = 4  # batches handed over and not yet committed


@dataclass(frozen=True, slots=True, kw_only=True)
class FileReport:
    """What became of the lines. Empty lines count as lines and as nothing else."""

    accepted: int = 0
    duplicates: int = 0
    rejected: int = 0
    lines: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProgress:
    lines: int
    bytes_read: int
    bytes_total: int


Progress = Callable[[FileProgress], None]


def ingest_file(
    path: Path,
    intake: Intake,
    normaliser: Normaliser,
    clock: Clock,
    *,
    batch_rows: int = 500,
    wait_s: float = 60.0,
    progress: Progress | None = None,
) -> FileReport:
    """Every good line is committed when this returns, every bad one is a dead letter that names file and line.

    Raises IntakeFull when the writer makes no room for `wait_s`, StoreUnavailable when it cannot write; running it
    again goes on where it stopped, for what is there already is a duplicate.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    with file:
        return _Import(path, intake, normaliser, clock, wait_s).run(file, batch_rows, progress)


class _Import:
    """One pass over one file."""

    def __init__(self, path: Path, intake: Intake, normaliser: Normaliser, clock: Clock, wait_s: float) -> None:
        self._path = path
        self._intake = intake
        self._normaliser = normaliser
        self._clock = clock
        self._wait_s = wait_s
        self._report = FileReport()
        self._receipts: deque[Receipt] = deque()
        self._rows: list[Interaction | Feedback | DeadLetter] = []

    def run(self, file: BinaryIO, batch_rows: int, progress: Progress | None) -> FileReport:
        total = os.fstat(file.fileno()).st_size
        for number, line in numbered_lines(file):
            self._report = replace(self._report, lines=number)
            if line is None or line.strip():
                self._rows.append(self._read(number, line))
            if len(self._rows) >= batch_rows:
                self._hand_over()
                if progress:
                    progress(FileProgress(lines=number, bytes_read=file.tell(), bytes_total=total))
        self._hand_over()
        self._collect(down_to=0)
        if progress:
            progress(FileProgress(lines=self._report.lines, bytes_read=total, bytes_total=total))
        return self._report

    def _read(self, number: int, line: bytes | None) -> Interaction | Feedback | DeadLetter:
        now = self._clock.now()
        try:
            if line is None:
                raise MalformedRecord(f"the line is longer than {MAX_LINE_BYTES} bytes")
            record = decode_record(read_json(line, "the line"), now, self._normaliser.rules.default, SOURCE)
        except MalformedRecord as error:
            self._report = replace(self._report, rejected=self._report.rejected + 1)
            reason = f"{self._path}:{number}: {error}"
            return self._normaliser.dead_letter(
                source=SOURCE, code=error.code, reason=reason, raw=(line or b"").rstrip(b"\r\n"), now=now
            )
        if isinstance(record, Interaction):
            return self._normaliser.interaction(record)
        return self._normaliser.redactor.feedback(record)

    def _hand_over(self) -> None:
        batch = Batch(
            interactions=tuple(r for r in self._rows if isinstance(r, Interaction)),
            feedback=tuple(r for r in self._rows if isinstance(r, Feedback)),
            dead_letters=tuple(r for r in self._rows if isinstance(r, DeadLetter)),
        )
        self._receipts.append(self._intake.submit(batch, wait_s=self._wait_s))
        self._rows.clear()
        self._collect(down_to=OUTSTANDING)

    def _collect(self, *, down_to: int) -> None:
        while len(self._receipts) > down_to:
            counts = self._committed(self._receipts.popleft())
            self._report = replace(
                self._report,
                accepted=self._report.accepted + counts.accepted,
                duplicates=self._report.duplicates + counts.duplicates,
            )

    def _committed(self, receipt: Receipt) -> Counts:
        try:
            return receipt.wait(self._wait_s)
        except TimeoutError:
            raise StoreUnavailable(
                f"{self._path}: not committed within {self._wait_s:g} s; run it again, what is there already is skipped"
            ) from None


def numbered_lines(file: BinaryIO) -> Iterator[tuple[int, bytes | None]]:
    """Lines from 1 on; None for one that is too long to hold, which is skipped to its end."""
    number = 0
    while line := file.readline(MAX_LINE_BYTES + 1):
        number += 1
        if len(line) <= MAX_LINE_BYTES:
            yield number, line
            continue
        while line and not line.endswith(b"\n"):
            line = file.readline(MAX_LINE_BYTES)
        yield number, None
