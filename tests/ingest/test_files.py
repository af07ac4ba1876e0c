import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from monitor.clock import SystemClock
from monitor.errors import IntakeFull, StoreUnavailable, UsageError
from monitor.ingest import files
from monitor.ingest.files import FileProgress, FileReport, ingest_file, numbered_lines
from monitor.ingest.intake import Intake
from monitor.store import feedback
from tests.ingest.build import batch, native, native_feedback
from tests.ingest.house import House, house, normaliser


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path, max_rows=50) as opened:
        yield opened


def write(folder: Path, *lines: Any) -> Path:
    path = folder / "calls.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return path


def ingest(home: House, path: Path, **options: Any) -> FileReport:
    return ingest_file(path, home.intake, home.normaliser, home.clock, **options)


def test_good_lines_are_rows_and_bad_lines_are_dead_letters_with_their_place(home: House, tmp_path: Path) -> None:
    path = write(tmp_path, native(), "{broken", "", native_feedback(), native(started_at="today"))
    assert ingest(home, path) == FileReport(accepted=2, duplicates=0, rejected=2, lines=5)
    reasons = {letter.reason: letter for letter in home.letters()}
    assert (
        f"{path}:2: the line is not JSON: Expecting property name enclosed in double quotes at character 1" in reasons
    )
    assert reasons[next(r for r in reasons if ":2:" in r)].raw == b"{broken"
    assert any(r.startswith(f"{path}:5: field 'started_at' is not a time in RFC 3339") for r in reasons)
    with home.store.read() as tx:
        assert feedback.count(tx) == 1
    [row] = home.rows()
    assert (row.source, row.convention, row.deployment) == ("file", "native", "fallback")


def test_a_file_read_again_adds_nothing(home: House, tmp_path: Path) -> None:
    path = write(tmp_path, *(native(user_id=f"u-{i}") for i in range(7)))
    assert ingest(home, path, batch_rows=3).accepted == 7
    assert ingest(home, path, batch_rows=2) == FileReport(accepted=0, duplicates=7, rejected=0, lines=7)
    assert len(home.rows()) == 7


def test_a_file_larger_than_the_intake_waits_for_the_writer(home: House, tmp_path: Path) -> None:
    path = write(tmp_path, *(native(user_id=f"u-{i}") for i in range(400)))
    assert ingest(home, path, batch_rows=20).accepted == 400
    assert home.intake.rows == 0


def test_progress_is_told_in_lines_and_bytes(home: House, tmp_path: Path) -> None:
    path = write(tmp_path, *(native(user_id=f"u-{i}") for i in range(5)))
    told: list[FileProgress] = []
    ingest(home, path, batch_rows=2, progress=told.append)
    assert [p.lines for p in told] == [2, 4, 5]
    assert [p.bytes_read for p in told] == sorted(p.bytes_read for p in told)
    assert told[-1].bytes_read == told[-1].bytes_total == path.stat().st_size


def test_a_missing_file_is_a_usage_error(home: House, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none.jsonl cannot be read: No such file"):
        ingest(home, tmp_path / "none.jsonl")


def test_an_empty_file_is_fine(home: House, tmp_path: Path) -> None:
    path = tmp_path / "empty.jsonl"
    path.touch()
    assert ingest(home, path) == FileReport()


def test_a_line_too_long_to_hold_is_rejected_and_the_next_one_is_read(
    home: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "MAX_LINE_BYTES", 1000)
    path = write(tmp_path, native(user_id="x" * 5000), native(), native(user_id="y" * 1500))
    assert ingest(home, path) == FileReport(accepted=1, duplicates=0, rejected=2, lines=3)
    assert [letter.reason for letter in home.letters() if ":1:" in letter.reason] == [
        f"{path}:1: the line is longer than 1000 bytes"
    ]


def test_the_last_line_needs_no_end(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a\r\n\nb")
    with path.open("rb") as file:
        assert list(numbered_lines(file)) == [(1, b"a\r\n"), (2, b"\n"), (3, b"b")]


def test_no_writer_means_no_success(tmp_path: Path) -> None:
    path = write(tmp_path, native())
    with pytest.raises(StoreUnavailable, match="run it again"):
        ingest_file(path, Intake(10), normaliser(), SystemClock(), wait_s=0.01)
    full = Intake(1)
    full.submit(batch("other"))
    with pytest.raises(IntakeFull):
        ingest_file(path, full, normaliser(), SystemClock(), wait_s=0.01)
