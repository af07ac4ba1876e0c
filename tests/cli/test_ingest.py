import gzip
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from monitor.api.schema import ChunkResult, FileStart, Problem, RefusedRecord
from tests.cli.conftest import Run
from tests.cli.daemon import Daemon
from tests.cli.house import Model, running_model, write_house
from tests.cli.test_serve import start, url_of, wait_until_ready
from tests.ingest.transports import as_json, contents
from tests.ports import free_port

RECORDS = '{"type":"interaction","id":"a"}\n\n{"type":"feedback","kind":"thumb"}\n{"type":"interaction","id":"b"}\n'
DRIFTD = (sys.executable, "-c", "from monitor.cli.main import main; main()")
MANY = 12_000


def write(folder: Path, text: str) -> Path:
    path = folder / "log.jsonl"
    path.write_text(text)
    return path


def call(number: int) -> dict[str, Any]:
    return {
        "type": "interaction",
        "id": f"call-{number}",
        "started_at": "2026-11-21T02:00:00Z",
        "request": {"model": "gpt-4", "messages": [{"role": "user", "content": f"is {number} prime?"}]},
        "response": {"model": "gpt-4-0314", "messages": [{"role": "assistant", "content": "no"}]},
    }


def accepts(daemon: Daemon, *rejected: RefusedRecord) -> None:
    daemon.respond("GET /api/v1/files", FileStart(offset=0, number=0, max_record_bytes=16 << 20))
    daemon.respond("POST /api/v1/files", ChunkResult(accepted=2, duplicates=1, rejected=list(rejected)))


@pytest.fixture
def model() -> Iterator[Model]:
    with running_model() as found:
        yield found


@pytest.fixture
def config(model: Model, tmp_path: Path) -> Path:
    return write_house(tmp_path, model_url=model.url, api_port=free_port())


def test_a_file_is_sent_as_it_stands_with_the_numbers_of_its_lines(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    path = write(tmp_path, RECORDS)
    result = run("ingest", path, "--url", daemon.url)
    assert (result.code, result.out) == (0, "2 accepted, 1 duplicates, 0 rejected\n")
    (sent,) = daemon.writes
    assert sent.body["records"] == [
        {"number": number, "text": text, "base64": None}
        for number, text in enumerate(RECORDS.splitlines(), start=1)
        if text
    ]
    assert (sent.body["name"], sent.body["unit"], sent.body["whole"]) == (str(path), "line", True)
    assert sent.body["after"] == {"offset": len(RECORDS), "number": 4}


def test_json_is_one_document_and_progress_goes_to_stderr(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    result = run("ingest", write(tmp_path, RECORDS), "--url", daemon.url, "--json")
    assert result.document == {"accepted": 2, "duplicates": 1, "rejected": []}
    assert result.err == f"daemon {daemon.url}\nlog.jsonl: {len(RECORDS)} of {len(RECORDS)}\n"


def test_a_rejected_record_is_named_with_its_line(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon, RefusedRecord(number=4, code="malformed", reason="started_at is missing"))
    path = write(tmp_path, RECORDS)
    result = run("ingest", path, "--url", daemon.url)
    assert result.code == 1
    assert result.out == (f"2 accepted, 1 duplicates, 1 rejected\n{path} line 4: started_at is missing\n")


def test_many_rejected_records_are_not_all_printed(config: Path, run: Run, tmp_path: Path) -> None:
    result = run("ingest", write(tmp_path, "nope\n" * 30), "--config", config)
    assert result.code == 1
    assert len(result.out.splitlines()) == 22
    assert "and 10 more" in result.out


def test_nothing_is_sent_when_a_file_is_missing(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    result = run("ingest", write(tmp_path, RECORDS), tmp_path / "gone.jsonl", "--url", daemon.url)
    assert (result.code, result.err) == (2, f"{tmp_path}/gone.jsonl cannot be read: No such file or directory\n")
    assert daemon.writes == []


def test_a_full_intake_is_waited_for(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    full = Problem(type="about:blank", title="x", status=429, detail="full", code="intake_full")
    daemon.answers["POST /api/v1/files"].insert(0, (429, full.model_dump_json().encode()))
    result = run("ingest", write(tmp_path, RECORDS), "--url", daemon.url)
    assert (result.code, result.out) == (0, "2 accepted, 1 duplicates, 0 rejected\n")
    assert len(daemon.writes) == 2


def test_pieces_follow_each_other_without_a_gap(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    lines = [json.dumps(call(n)) for n in range(2_001)] + [json.dumps(call(0) | {"user_id": "x" * 3_000_000})] * 2
    run("ingest", write(tmp_path, "\n".join(lines)), "--url", daemon.url)
    sent = [w.body for w in daemon.writes]
    assert [len(body["records"]) for body in sent] == [1_000, 1_000, 2, 1]
    assert [body["before"] for body in sent[1:]] == [body["after"] for body in sent[:-1]]
    assert [body["whole"] for body in sent] == [False, False, False, True]
    assert [r["number"] for body in sent for r in body["records"]] == list(range(1, 2_004))


def test_what_is_larger_than_a_record_may_be_is_named_and_not_sent(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    daemon.respond("GET /api/v1/files", FileStart(offset=0, number=0, max_record_bytes=1_000))
    lines = [json.dumps(call(0) | {"user_id": "x" * length}) for length in (2_000, 2)]
    run("ingest", write(tmp_path, "\n".join(lines)), "--url", daemon.url)
    [piece] = [w.body for w in daemon.writes]
    held = [r["text"] or r["base64"] for r in piece["records"]]
    assert held == [None, lines[1]]


def test_a_record_as_large_as_may_be_is_taken_however_json_writes_it(config: Path, run: Run, tmp_path: Path) -> None:
    """In JSON, each of these quotation marks needs two bytes."""
    config.write_text(config.read_text().replace("ingest:", "ingest:\n  max_body_mb: 6", 1))
    lines = [json.dumps(call(n) | {"attributes": {"x": '"' * n}}) for n in (3_100_000, 3_200_000, 1)]
    done = run("ingest", write(tmp_path, "\n".join(lines)), "--config", config)
    assert (done.code, "2 accepted, 0 duplicates, 1 rejected" in done.out) == (1, True)
    assert "line 2: the record is longer than 6291456 bytes (ingest.max_body_mb)" in done.out


def test_bytes_that_are_no_text_are_sent_and_rejected_where_they_stand(config: Path, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(json.dumps(call(1)).encode() + b"\n\xff\xfe\n")
    result = run("ingest", path, "--config", config, "--json")
    assert (result.code, result.document["accepted"]) == (1, 1)
    assert [r["line"] for r in result.document["rejected"]] == [2]


def test_rows_of_parquet_are_stored_and_counted_again_the_second_time(config: Path, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "calls.parquet"
    pq.write_table(pa.Table.from_pylist([call(n) for n in range(1_200)]), path, row_group_size=400)
    first, second = (run("ingest", path, "--config", config, "--json") for _ in range(2))
    assert (first.code, first.document["accepted"], first.document["duplicates"]) == (0, 1_200, 0)
    assert (second.code, second.document["accepted"], second.document["duplicates"]) == (0, 0, 1_200)
    assert first.err.splitlines()[-1] == "calls.parquet: 1200 of 1200"


def test_what_a_collector_wrote_is_read_with_the_cost_of_its_calls(config: Path, run: Run, tmp_path: Path) -> None:
    path = tmp_path / "spans.json.gz"
    lines = [as_json(c.signal, c.body) for c in contents()]
    path.write_bytes(gzip.compress(b"\n".join([*lines, b'{"resourceMetrics":[]}', *lines])))
    result = run("ingest", path, "--config", config, "--json")
    assert (result.code, result.document["rejected"]) == (0, [])
    assert result.document["duplicates"] >= result.document["accepted"] > 300
    with duckdb.connect(str(tmp_path / "data" / "driftd.duckdb"), read_only=True) as store:
        costs = dict(store.execute("SELECT cost_source, count(*) FROM interaction GROUP BY ALL").fetchall())
        free = store.execute(
            "SELECT count(*) FROM interaction WHERE cost_source = 'computed' AND cost_usd = 0"
        ).fetchone()
    assert costs["emitted"] > 10
    assert costs["computed"] > 100
    assert free == (0,)


def test_a_wrong_forced_format_is_reported(config: Path, run: Run, tmp_path: Path) -> None:
    path = write(tmp_path, json.dumps(call(1)) + "\n")
    result = run("ingest", path, "--format", "parquet", "--config", config)
    assert (result.code, result.err.split(": ")[0]) == (2, f"{path} cannot be read as Parquet")
    result = run("ingest", path, "--format", "otlp_json", "--config", config)
    assert (result.code, "line 1: the record is not an OTLP request" in result.out) == (1, True)


def killed_in_the_middle(path: Path, *where: str) -> None:
    """Start the command and kill it with SIGKILL when a quarter is stored."""
    process = subprocess.Popen(
        [*DRIFTD, "ingest", str(path), *where], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    told = next((line for line in process.stderr if line.startswith(path.name)), "")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert " of " in told, told


@pytest.mark.parametrize("by_url", [False, True], ids=["at the file", "to a daemon"])
def test_a_file_goes_on_where_it_was_killed_and_every_record_is_there_once(
    config: Path, run: Run, tmp_path: Path, *, by_url: bool
) -> None:
    path = write(tmp_path, "".join(json.dumps(call(n)) + "\n" for n in range(MANY)))
    serving = start(config) if by_url else None
    try:
        if serving:
            wait_until_ready(url_of(config), serving)
        where = ("--url", url_of(config)) if by_url else ("--config", str(config))
        killed_in_the_middle(path, *where)
        result = run("ingest", path, *where, "--json")
        assert result.code == 0, result.err
        behind = int(result.err.split("continues after line ")[1].split()[0])
        assert MANY // 4 <= behind < MANY
        assert behind + result.document["accepted"] + result.document["duplicates"] == MANY
        assert result.document["duplicates"] <= 1_000  # the piece that was on its way
    finally:
        if serving:
            serving.terminate()
            serving.communicate(timeout=60)
    with duckdb.connect(str(tmp_path / "data" / "driftd.duckdb"), read_only=True) as store:
        assert store.execute("SELECT count(*), count(DISTINCT id) FROM interaction").fetchone() == (MANY, MANY)
        assert store.execute("SELECT count(*) FROM file_position").fetchone() == (0,)


def test_from_start_forgets_where_it_was_broken_off(daemon: Daemon, run: Run, tmp_path: Path) -> None:
    accepts(daemon)
    path = write(tmp_path, RECORDS)
    daemon.respond("GET /api/v1/files", FileStart(offset=33, number=2, max_record_bytes=16 << 20))
    run("ingest", path, "--url", daemon.url)
    run("ingest", path, "--url", daemon.url, "--from-start")
    assert [w.body["before"]["number"] for w in daemon.writes] == [2, 0]
    assert [[r["number"] for r in w.body["records"]] for w in daemon.writes] == [[3, 4], [1, 3, 4]]
