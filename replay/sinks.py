"""The protocol for storing outcomes, and an implementation with a file."""

import fcntl
import json
import os
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, Self

from replay.errors import ReplayError
from replay.outcome_codec import scored_outcome_from_json, scored_outcome_to_json
from replay.types import ScoredOutcome


class OutcomeSink(Protocol):
    """Stores outcomes. After `commit` returns, its rows survive a kill; if it raises, none of them is stored.

    Both methods are called in worker threads. A second commit of a (run, case, sample) does not change the first.
    """

    def answered(self, run_id: str) -> set[tuple[str, int]]:
        """Return the case id and sample of every outcome of the run, including failed ones."""
        ...

    def commit(self, run_id: str, rows: Sequence[ScoredOutcome]) -> None: ...


class JsonlSink:
    """One JSON object in each line, `{"run_id", "outcome", "scores"}`, appended and fsynced at each commit.

    The next opening removes a last line that a kill truncated. One process opens the file at a time. Texts are stored
    in plain text: a sealed set needs a sink that seals.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()  # protects _end and _answered, and keeps the lines of two commits apart
        self._file = _open_alone(path)
        try:
            self._end = _cut_torn_line(self._file)
            self._answered: dict[str, set[tuple[str, int]]] = {}
            for run_id, row in self._read():
                self._keys(run_id).add(_key(row))
        except BaseException:
            os.close(self._file)
            raise

    def answered(self, run_id: str) -> set[tuple[str, int]]:
        with self._lock:
            return set(self._keys(run_id))

    def commit(self, run_id: str, rows: Sequence[ScoredOutcome]) -> None:
        with self._lock:
            known = self._keys(run_id)
            new = {_key(row): row for row in reversed(rows) if _key(row) not in known}  # reversed: the first one stays
            lines = (json.dumps({"run_id": run_id, **scored_outcome_to_json(row)}) for row in reversed(new.values()))
            self._append("".join(f"{line}\n" for line in lines).encode())
            known.update(new)

    def outcomes(self, run_id: str) -> Iterator[ScoredOutcome]:
        """Return the committed outcomes of a run, in the order of the commits."""
        return (row for run, row in self._read() if run == run_id)

    def close(self) -> None:
        os.close(self._file)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keys(self, run_id: str) -> set[tuple[str, int]]:
        return self._answered.setdefault(run_id, set())

    def _append(self, data: bytes) -> None:
        """Append all or nothing: a write that a full disk truncated is removed."""
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._file, rest) :]
            os.fsync(self._file)
        except OSError:
            os.ftruncate(self._file, self._end)
            raise
        self._end += len(data)

    def _read(self) -> Iterator[tuple[str, ScoredOutcome]]:
        with self._path.open("rb") as lines:
            for number, line in enumerate(lines, start=1):
                yield self._decode(line, number)

    def _decode(self, line: bytes, number: int) -> tuple[str, ScoredOutcome]:
        try:
            document: dict[str, Any] = json.loads(line)
            return document["run_id"], scored_outcome_from_json(document)
        except (ValueError, KeyError, TypeError) as error:
            where = f"{self._path} line {number}"
            raise ReplayError(f"{where} is not an outcome ({type(error).__name__}); restore or remove it") from error


def _key(row: ScoredOutcome) -> tuple[str, int]:
    return row.outcome.case_id, row.outcome.sample


def _open_alone(path: Path) -> int:
    """Return the file, open for appending, with a lock that ends with the process. Its directory entry is durable."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
    except BlockingIOError as error:
        os.close(file)
        raise ReplayError(f"{path} is in use by another replay; wait for it or give another file") from error
    except BaseException:
        os.close(file)
        raise
    return file


def _cut_torn_line(file: int, block: int = 65536) -> int:
    """Remove an incomplete last line and return the remaining length."""
    end = os.fstat(file).st_size
    keep = end
    while keep > 0:
        start = max(0, keep - block)
        found = os.pread(file, keep - start, start).rfind(b"\n")
        keep = start + found + 1
        if found >= 0:
            break
    if keep < end:
        os.ftruncate(file, keep)
        os.fsync(file)
    return keep
