from pathlib import Path

from monitor.api.schema import BatchResult, Problem, Rejected
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon

RECORDS = '{"type":"interaction","id":"a"}\n\n{"type":"feedback","kind":"thumb"}\n{"type":"interaction","id":"b"}\n'


def write(folder: Path, text: str) -> Path:
    path = folder / "log.jsonl"
    path.write_text(text)
    return path


def accepts(daemon: Daemon) -> None:
    daemon.says("POST /api/v1/interactions", BatchResult(accepted=2, duplicates=0, rejected=[]))
    daemon.says("POST /api/v1/feedback", BatchResult(accepted=0, duplicates=1, rejected=[]))


def test_records_reach_their_routes(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    result = run("ingest", write(tmp_path, RECORDS), "--url", daemon.url)
    assert (result.code, result.out) == (0, "2 accepted, 1 already there, 0 rejected\n")
    assert [(a.path, len(a.body)) for a in daemon.writes] == [("/api/v1/interactions", 2), ("/api/v1/feedback", 1)]


def test_json_is_one_document_and_progress_goes_to_stderr(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    result = run("ingest", write(tmp_path, RECORDS), "--url", daemon.url, "--json")
    assert result.document == {"accepted": 2, "duplicates": 1, "rejected": []}
    assert result.err.startswith("log.jsonl: ")


def test_a_rejected_record_is_named_with_its_line(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    rejected = Rejected(index=1, code="malformed", reason="started_at is missing")
    daemon.says("POST /api/v1/interactions", BatchResult(accepted=1, duplicates=0, rejected=[rejected]))
    path = write(tmp_path, RECORDS + "{nope\n")
    result = run("ingest", path, "--url", daemon.url)
    assert result.code == 1
    assert "1 accepted, 1 already there, 2 rejected" in result.out
    assert f"{path} line 4: started_at is missing" in result.out
    assert f"{path} line 5: is not JSON" in result.out


def test_many_rejected_records_are_not_all_printed(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    result = run("ingest", write(tmp_path, "nope\n" * 30), "--url", daemon.url)
    assert result.code == 1
    assert len(result.out.splitlines()) == 22
    assert "and 10 more" in result.out


def test_nothing_is_sent_when_a_file_is_missing(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    result = run("ingest", write(tmp_path, RECORDS), tmp_path / "gone.jsonl", "--url", daemon.url)
    assert (result.code, result.err) == (2, f"{tmp_path}/gone.jsonl cannot be read: No such file or directory\n")
    assert daemon.writes == []


def test_a_full_intake_is_waited_for(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    full = Problem(type="about:blank", title="x", status=429, detail="full", code="intake_full")
    taken = BatchResult(accepted=1, duplicates=0, rejected=[])
    daemon.answers["POST /api/v1/interactions"] = [
        (429, full.model_dump_json().encode()),
        (200, taken.model_dump_json().encode()),
    ]
    result = run("ingest", write(tmp_path, '{"type":"interaction"}\n'), "--url", daemon.url)
    assert (result.code, result.out) == (0, "1 accepted, 0 already there, 0 rejected\n")
