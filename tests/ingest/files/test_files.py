import gzip
import json
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from monitor.errors import UsageError
from monitor.ingest.files.base import BEGINNING, FileFormat, FileOffset, FileRecord
from monitor.ingest.files.compression import Stream
from monitor.ingest.files.detect import identity_of, open_records
from monitor.ingest.files.lines import Lines
from monitor.store.traffic import feedback
from tests.ingest.build import native, native_feedback
from tests.ingest.http.test_transports import Rows, rows_of, sent_over
from tests.ingest.pipeline import IngestPipeline, ingest_file, ingest_pipeline
from tests.ingest.transports import as_json, contents, zstd


@pytest.fixture
def pipeline(tmp_path: Path) -> Iterator[IngestPipeline]:
    with ingest_pipeline(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Rows:
    return sent_over("protobuf", tmp_path_factory.mktemp("files") / "usual")


def write(folder: Path, *records: Any) -> Path:
    path = folder / "calls.jsonl"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in records) + "\n")
    return path


def records(path: Path, forced: FileFormat | None = None) -> list[FileRecord]:
    return read_on(path, BEGINNING, forced)


def read_on(path: Path, after: FileOffset, forced: FileFormat | None = None) -> list[FileRecord]:
    with closing(open_records(path, forced)) as reading:
        return list(reading.records(after))


def test_good_lines_are_rows_and_bad_lines_are_dead_letters_with_their_number(
    pipeline: IngestPipeline, tmp_path: Path
) -> None:
    path = write(tmp_path, native(), "{broken", "", native_feedback(), native(started_at="today"))
    counts, refused = ingest_file(pipeline, path)
    assert (counts.accepted, counts.duplicates, [r.number for r in refused]) == (2, 0, [2, 5])
    assert (
        refused[0].reason == "the record is not JSON: Expecting property name enclosed in double quotes at character 1"
    )
    letters = {letter.reason: letter.raw for letter in pipeline.letters()}
    assert letters[f"calls.jsonl line 2: {refused[0].reason}"] == b"{broken"
    assert any(r.startswith("calls.jsonl line 5: field 'started_at' is not a time in RFC 3339") for r in letters)
    with pipeline.store.read() as tx:
        assert feedback.count(tx) == 1
    [row] = pipeline.rows()
    assert (row.source, row.convention, row.deployment) == ("file", "native", "fallback")


def test_a_file_read_again_adds_nothing(pipeline: IngestPipeline, tmp_path: Path) -> None:
    path = write(tmp_path, *(native(user_id=f"u-{i}") for i in range(7)), "{broken")
    assert ingest_file(pipeline, path)[0].accepted == 7
    counts, _ = ingest_file(pipeline, path)
    assert (counts.accepted, counts.duplicates) == (0, 7)
    assert (len(pipeline.rows()), len(pipeline.letters())) == (7, 1)


def test_a_line_above_the_limit_is_rejected_and_the_next_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "long"
    path.write_bytes(b"x" * 5000 + b"\n" + b"short\n" + b"y" * 1500)
    with closing(Lines(path, Stream(path), max_bytes=1000)) as reading:
        found = list(reading.records(BEGINNING))
    assert [(r.raw, r.end.number) for r in found] == [(None, 1), (b"short", 2), (None, 3)]
    assert found[-1].end.offset == path.stat().st_size


def test_the_last_line_needs_no_end_and_an_empty_one_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(b"a\r\n\nb")
    assert [(r.raw, r.end.number, r.end.offset) for r in records(path)] == [(b"a", 1, 3), (b"b", 3, 5)]


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    path = tmp_path / "empty"
    path.touch()
    assert records(path) == []


def test_a_missing_file_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none.jsonl cannot be read: No such file"):
        open_records(tmp_path / "none.jsonl")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstd, lambda b: gzip.compress(b[:50]) + gzip.compress(b[50:])])
def test_a_compressed_file_is_read_and_can_be_continued_in_the_middle(tmp_path: Path, pack: Any) -> None:
    plain = "".join(json.dumps(native(user_id=f"u-{i}")) + "\n" for i in range(20)).encode()
    path = tmp_path / "packed"
    path.write_bytes(pack(plain))
    found = records(path)
    assert b"".join(r.raw + b"\n" for r in found if r.raw) == plain
    assert read_on(path, found[11].end) == found[12:]


@pytest.mark.parametrize("pack", [gzip.compress, zstd])
def test_a_truncated_compressed_file_gives_its_records_and_an_error(tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "packed"
    plain = "".join(json.dumps(native(user_id=f"u-{i}-{i * 7919}")) + "\n" for i in range(3000)).encode()
    path.write_bytes(pack(plain)[:-40])
    with pytest.raises(UsageError, match=r"packed cannot be read"):
        records(path)


@pytest.mark.parametrize("pack", [bytes, zstd, gzip.compress], ids=["plain", "zstd", "gzip"])
def test_requests_of_all_clients_in_json_lines_give_the_same_rows(usual: Rows, tmp_path: Path, pack: Any) -> None:
    path = tmp_path / "otlp.jsonl"
    path.write_bytes(pack(b"".join(as_json(c.signal, c.body) + b"\n" for c in contents())))
    with ingest_pipeline(tmp_path) as pipeline:
        ingest_file(pipeline, path)
        calls, said, _ = rows_of(pipeline)
    assert len(calls) > 100
    assert calls == usual[0]
    assert said == usual[1]


@pytest.mark.parametrize("pack", [bytes, zstd, gzip.compress], ids=["plain", "zstd", "gzip"])
@pytest.mark.parametrize("forced", [None, FileFormat.OTLP_PROTO])
def test_requests_of_all_clients_in_protobuf_messages_give_the_same_rows(
    usual: Rows, tmp_path: Path, forced: FileFormat | None, pack: Any
) -> None:
    path = tmp_path / "otlp.bin"
    path.write_bytes(pack(b"".join(len(c.body).to_bytes(4) + c.body for c in contents() if c.body)))
    with ingest_pipeline(tmp_path) as pipeline:
        ingest_file(pipeline, path, forced)
        calls, said, _ = rows_of(pipeline)
    assert calls == usual[0]
    assert said == usual[1]


def test_a_truncated_message_is_reported_with_its_number(tmp_path: Path) -> None:
    path = tmp_path / "otlp.bin"
    bodies = [c.body for c in contents()][:3]
    whole = b"".join(len(b).to_bytes(4) + b for b in bodies)
    path.write_bytes(whole[:-5])
    read: list[FileRecord] = []
    told = r"otlp.bin message 3 is truncated; the records before are stored"
    with closing(open_records(path)) as reading, pytest.raises(UsageError, match=told):
        read.extend(reading.records(BEGINNING))
    assert [r.raw for r in read] == bodies[:2]
    path.write_bytes(whole + b"\xff\xff\xff\xff")
    with pytest.raises(UsageError, match=r"otlp.bin message 4: no message length at this position"):
        records(path)


@pytest.mark.parametrize("packed", [False, True])
def test_a_message_above_the_limit_is_rejected_and_the_next_one_is_read(tmp_path: Path, *, packed: bool) -> None:
    large, small = bytes(3_000_000), b"{}"
    path = tmp_path / "otlp.bin"
    path.write_bytes(b"".join(len(b).to_bytes(4) + b for b in [zstd(large) if packed else large, small]))
    with closing(open_records(path, FileFormat.OTLP_PROTO, max_bytes=1_000)) as reading:
        found = list(reading.records(BEGINNING))
    assert [(r.raw, r.end.number) for r in found] == [(None, 1), (small, 2)]
    assert read_on(path, found[0].end, FileFormat.OTLP_PROTO) == found[1:]


def test_a_row_above_the_limit_is_rejected_and_the_next_one_is_read(tmp_path: Path) -> None:
    path = tmp_path / "calls.parquet"
    pq.write_table(pa.table({"id": ["x" * 2_000, "b"], "started_at": ["x"] * 2}), path)
    with closing(open_records(path, max_bytes=1_000)) as reading:
        assert [r.raw is None for r in reading.records(BEGINNING)] == [True, False]


def test_a_bad_span_of_a_line_is_a_dead_letter_and_the_others_are_stored(
    pipeline: IngestPipeline, tmp_path: Path
) -> None:
    span = {
        "traceId": "11" * 16,
        "spanId": "22" * 8,
        "name": "chat",
        "startTimeUnixNano": "1790000000000000000",
        "endTimeUnixNano": "1790000001000000000",
        "attributes": [
            {"key": "gen_ai.operation.name", "value": {"stringValue": "chat"}},
            {"key": "gen_ai.request.model", "value": {"stringValue": "gpt-4"}},
        ],
    }
    request = {"resourceSpans": [{"scopeSpans": [{"spans": [span, span | {"spanId": "zz" * 8}]}]}]}
    path = write(tmp_path, {"resourceMetrics": []}, request)
    counts, refused = ingest_file(pipeline, path)
    assert (counts.accepted, [r.number for r in refused]) == (1, [2])
    [letter] = pipeline.letters()
    assert letter.reason == f"calls.jsonl line 2: {refused[0].reason}"
    assert letter.source == "file"
    assert pipeline.rows()[0].source == "otlp"


def test_a_forced_format_rejects_records_of_another(pipeline: IngestPipeline, tmp_path: Path) -> None:
    path = write(tmp_path, native(), {"resourceSpans": []})
    _, refused = ingest_file(pipeline, path, FileFormat.OTLP_JSON)
    assert [(r.number, r.reason[:35]) for r in refused] == [(1, "the record is not an OTLP request: ")]
    _, refused = ingest_file(pipeline, path, FileFormat.NATIVE_JSON)
    assert [(r.number, r.reason) for r in refused] == [(2, "field 'type' is not one of interaction, feedback")]
    with pytest.raises(UsageError, match=r"calls.jsonl cannot be read as Parquet"):
        open_records(path, FileFormat.PARQUET)


def test_parquet_rows_with_structs_are_the_original_records(tmp_path: Path) -> None:
    made = [native(id=f"i-{i}", user_id=f"u-{i}" if i % 2 else None, duration_ms=1.5 * i) for i in range(600)]
    for row in made:
        row["started_at"] = datetime(2026, 11, 21, 2, tzinfo=UTC)
    made[7]["request"] = made[7]["request"] | {"temperature": 0.5}
    path = tmp_path / "calls.parquet"
    pq.write_table(pa.Table.from_pylist(made), path, row_group_size=100)
    lines_ = tmp_path / "calls.jsonl"
    lines_.write_text("".join(json.dumps(r | {"started_at": "2026-11-21T02:00:00Z"}) + "\n" for r in made))
    assert same_rows(tmp_path, path, lines_) == 600


def test_parquet_rows_with_json_text_from_duckdb_are_read(tmp_path: Path) -> None:
    lines_ = write(tmp_path, *(native(id=f"i-{i}", usage={"input_tokens": i, "output_tokens": 2}) for i in range(5)))
    path = tmp_path / "texts.parquet"
    query = """
        COPY (SELECT id, CAST(started_at AS TIMESTAMPTZ) AS started_at, CAST(request AS VARCHAR) AS request,
            CAST(response AS VARCHAR) AS response, usage
        FROM read_json($lines, columns = {id: 'VARCHAR', started_at: 'VARCHAR', request: 'JSON', response: 'JSON',
            usage: 'STRUCT(input_tokens BIGINT, output_tokens BIGINT)'})) TO '{path}' (FORMAT parquet)
    """
    duckdb.connect().execute(query.replace("{path}", str(path)), {"lines": str(lines_)})
    assert same_rows(tmp_path, path, lines_) == 5


def same_rows(folder: Path, one: Path, other: Path) -> int:
    found = []
    for path in (one, other):
        (folder / f"home-{path.name}").mkdir()
        with ingest_pipeline(folder / f"home-{path.name}") as pipeline:
            _, refused = ingest_file(pipeline, path)
            assert refused == []
            found.append(rows_of(pipeline)[0])
    assert found[0] == found[1]
    return len(found[0])


def test_a_malformed_row_is_reported_with_its_number(pipeline: IngestPipeline, tmp_path: Path) -> None:
    path = tmp_path / "calls.parquet"
    rows = [{"id": "a", "started_at": "2026-11-21T02:00:00Z", "request": '{"model": 1'}, {"id": "b", "started_at": "?"}]
    pq.write_table(pa.Table.from_pylist(rows), path)
    _, refused = ingest_file(pipeline, path)
    assert [(r.number, r.reason.split(" is no")[0]) for r in refused] == [
        (2, "field 'started_at'"),
    ]
    assert [letter.reason.split(":")[0] for letter in pipeline.letters()] == ["calls.parquet row 2"]
    assert [row.attributes for row in pipeline.rows()] == [{"request": '{"model": 1', "driftd.unread": ["request"]}]


def test_reading_parquet_continues_at_any_row(tmp_path: Path) -> None:
    path = tmp_path / "calls.parquet"
    pq.write_table(
        pa.table({"id": [f"i-{i}" for i in range(700)], "started_at": ["x"] * 700}), path, row_group_size=300
    )
    found = records(path)
    assert [r.end.number for r in found] == list(range(1, 701))
    for place in (0, 299, 300, 650, 699):
        assert read_on(path, found[place].end) == found[place + 1 :]


@pytest.mark.parametrize(
    ("table", "sentence"),
    [
        (
            {"started_at": ["x"], "prompt_text": ["y"]},
            "column 'prompt_text' is not a field of a record; known: at, attributes",
        ),
        ({"started_at": [1.5]}, "column 'started_at' has type double; expected a timestamp or text in RFC 3339"),
        (
            {"started_at": ["x"], "request": [3]},
            "column 'request' has type int64; expected a struct, a map or JSON text",
        ),
        (
            {"at": ["x"], "documents": [3]},
            "column 'documents' has type int64; expected a list of structs or JSON text",
        ),
        ({"at": ["x"], "kind": [2.5]}, "column 'kind' has type double; expected a text"),
        ({"at": ["x"], "cost_usd": [True]}, "column 'cost_usd' has type bool; expected a number"),
        ({"id": ["a"]}, "has neither a column 'started_at' (for interactions) nor 'at' (for feedback)"),
    ],
)
def test_a_column_of_the_wrong_type_is_named(tmp_path: Path, table: dict[str, Any], sentence: str) -> None:
    path = tmp_path / "calls.parquet"
    pq.write_table(pa.table(table), path)
    with pytest.raises(UsageError) as error:
        open_records(path)
    assert str(error.value).startswith(f"{path} {sentence}")


def test_a_broken_parquet_file_is_reported(tmp_path: Path) -> None:
    path = tmp_path / "calls.parquet"
    pq.write_table(pa.table({"id": ["a"], "started_at": ["x"]}), path)
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(UsageError, match=r"calls.parquet cannot be read as Parquet: "):
        open_records(path)


def test_a_file_with_another_content_or_time_has_another_identity(tmp_path: Path) -> None:
    path = write(tmp_path, native())
    first = identity_of(path)
    assert identity_of(path) == first
    path.write_text(path.read_text() + "\n")
    assert identity_of(path) != first
