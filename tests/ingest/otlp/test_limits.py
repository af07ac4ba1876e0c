import gzip
import json
import subprocess
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from monitor.domain.interaction import ContentState
from monitor.ingest.http.body import TooLarge
from monitor.ingest.limits import Limits
from monitor.ingest.otlp.limits import apply_limits
from monitor.ingest.spans import OtlpLog, OtlpRequest, OtlpSpan
from tests.ingest import build
from tests.ingest.otlp.test_http import JSON, document, status_of, with_ids
from tests.ingest.pipeline import IngestPipeline, ingest_pipeline, otlp_app, served

SMALL = Limits(wire_bytes=60_000, plain_bytes=80_000, records=5, depth=4, attributes=20, value_chars=1_000)


@pytest.fixture(scope="module")
def pipeline(tmp_path_factory: pytest.TempPathFactory) -> Iterator[IngestPipeline]:
    with ingest_pipeline(tmp_path_factory.mktemp("house")) as opened:
        yield opened


@pytest.fixture(scope="module")
def client(pipeline: IngestPipeline) -> Iterator[httpx.Client]:
    with served(otlp_app(pipeline, limits=SMALL)) as opened:
        yield opened


def attribute(key: str, value: dict[str, Any]) -> dict[str, Any]:
    return {"key": key, "value": value}


def call(span_id: str, *attributes: dict[str, Any], **changes: Any) -> dict[str, Any]:
    whole = with_ids(span_id)
    return whole | {"attributes": [*whole["attributes"], *attributes]} | changes


def nested(depth: int) -> dict[str, Any]:
    """Return a value of `depth` nested lists."""
    value: dict[str, Any] = {"stringValue": "deep"}
    for _ in range(depth):
        value = {"arrayValue": {"values": [value]}}
    return value


def rejected(client: httpx.Client, *spans: dict[str, Any]) -> tuple[int, str]:
    answer = client.post("/v1/traces", content=document(*spans), headers=JSON)
    assert answer.status_code == 200, answer.text
    partial = answer.json().get("partialSuccess", {})
    return int(partial.get("rejectedSpans", 0)), partial.get("errorMessage", "")


def stored(pipeline: IngestPipeline) -> set[str]:
    return {row.span_id or "" for row in pipeline.rows()}


def test_too_many_records_reject_the_request(client: httpx.Client) -> None:
    spans = [with_ids(f"{i + 1:016x}") for i in range(6)]
    answer = client.post("/v1/traces", content=document(*spans), headers=JSON)
    assert answer.status_code == 413
    assert "6 records, more than 5 (ingest.limits.records)" in status_of(answer).message
    assert client.post("/v1/traces", content=document(*spans[:5]), headers=JSON).status_code == 200


def test_a_body_may_be_larger_decompressed_than_on_the_wire(client: httpx.Client) -> None:
    plain = document(*[call(f"{i + 0x100:016x}", attribute("x", {"stringValue": "y" * 15_000})) for i in range(5)])
    assert SMALL.wire_bytes < len(plain) < SMALL.plain_bytes
    assert client.post("/v1/traces", content=plain, headers=JSON).status_code == 413
    packed = gzip.compress(plain)
    answer = client.post("/v1/traces", content=packed, headers=JSON | {"content-encoding": "gzip"})
    assert answer.status_code == 200


def test_a_record_nested_too_deep_is_rejected_and_the_rest_is_stored(
    pipeline: IngestPipeline, client: httpx.Client
) -> None:
    deep, fine = attribute("x", nested(5)), attribute("x", nested(4))
    number, why = rejected(client, call("00000000000000a1", deep), call("00000000000000a2", fine))
    assert number == 1
    assert why == "span 'chat gpt-4': a value is nested deeper than 4 (ingest.limits.depth); send it as JSON text"
    assert stored(pipeline) & {"00000000000000a1", "00000000000000a2"} == {"00000000000000a2"}


def test_a_record_of_too_many_attributes_is_rejected_and_kept_without_them(
    pipeline: IngestPipeline, client: httpx.Client
) -> None:
    many = [attribute(f"a{i}", {"intValue": str(i)}) for i in range(30)]
    number, why = rejected(client, call("00000000000000b1", *many), call("00000000000000b2", *many[:10]))
    assert number == 1
    assert "32 attributes are more than 20 (ingest.limits.attributes)" in why
    [letter] = [letter for letter in pipeline.letters() if letter.reason == why]
    assert json.loads(letter.raw)["attributes"] == 32
    assert "00000000000000b2" in stored(pipeline)


def test_attributes_of_the_resource_count_with_those_of_its_records(client: httpx.Client) -> None:
    few = [attribute(f"a{i}", {"intValue": str(i)}) for i in range(10)]
    body = {"resource": {"attributes": few}, "scopeSpans": [{"spans": [call("00000000000000b4", *few)]}]}
    answer = client.post("/v1/traces", content=json.dumps({"resourceSpans": [body]}), headers=JSON)
    assert (
        "22 attributes are more than 20 (ingest.limits.attributes)" in answer.json()["partialSuccess"]["errorMessage"]
    )


def test_events_of_a_span_have_the_same_limits(client: httpx.Client) -> None:
    event = {"name": "e", "timeUnixNano": "1", "attributes": [attribute("x", nested(9))]}
    assert rejected(client, call("00000000000000b3", events=[event]))[0] == 1


def test_a_long_text_is_truncated_and_the_row_is_marked(pipeline: IngestPipeline, client: httpx.Client) -> None:
    text = json.dumps([{"role": "user", "content": "Why? " * 5}, {"role": "user", "content": "x" * 5_000}])
    assert rejected(client, call("00000000000000c1", attribute("gen_ai.input.messages", {"stringValue": text})))[0] == 0
    [row] = [row for row in pipeline.rows() if row.span_id == "00000000000000c1"]
    assert row.content_state is ContentState.TRUNCATED
    assert [m.content for m in row.input_messages] == ["Why? " * 5], "what is whole before the cut is kept"


def test_truncated_plain_text_is_marked_as_truncated(pipeline: IngestPipeline, client: httpx.Client) -> None:
    messages = {"arrayValue": {"values": [{"kvlistValue": {"values": [
        attribute("role", {"stringValue": "user"}), attribute("content", {"stringValue": "y" * 3_000})
    ]}}]}}  # fmt: skip
    assert rejected(client, call("00000000000000c2", attribute("gen_ai.input.messages", messages)))[0] == 0
    [row] = [row for row in pipeline.rows() if row.span_id == "00000000000000c2"]
    assert (row.input_text, row.content_state) == ("y" * 1_000, ContentState.TRUNCATED)


def log(span_id: str, *attributes: dict[str, Any]) -> bytes:
    record = {
        "traceId": build.TRACE,
        "spanId": span_id,
        "eventName": "gen_ai.client.inference.operation.details",
        "timeUnixNano": "1795215911000000000",
        "attributes": list(attributes),
    }
    return json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": [record]}]}]}).encode()


@pytest.mark.parametrize(
    "text",
    [
        json.dumps([{"role": "user", "content": "Why?"}, {"role": "user", "content": "x" * 5_000}]),
        json.dumps([{"role": "user", "content": "x" * 5_000}]),
        '[{"role": "user", "content": "Why?"}, {"role": "us',
    ],
    ids=["the second is too long", "the first is too long", "the sender cut it"],
)
def test_a_text_cut_in_an_event_makes_the_call_it_joins_truncated(
    pipeline: IngestPipeline, client: httpx.Client, text: str
) -> None:
    span_id = f"{0xD000 + len(text):016x}"
    assert rejected(client, call(span_id))[0] == 0
    event = log(span_id, attribute("gen_ai.input.messages", {"stringValue": text}))
    assert client.post("/v1/logs", content=event, headers=JSON).json() == {}
    pipeline.join()
    [row] = [row for row in pipeline.rows() if row.span_id == span_id]
    assert row.content_state is ContentState.TRUNCATED
    assert row.input_text in ("Why?", "", None)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


def depth_of(value: Any) -> int:
    if not isinstance(value, list | dict):
        return 0
    inside = value.values() if isinstance(value, dict) else value
    return 1 + max(map(depth_of, inside), default=0)


def longest(value: Any) -> int:
    if isinstance(value, str):
        return len(value)
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
    return max(map(longest, inside), default=0)


@given(attributes=st.dictionaries(st.text(max_size=4), values, max_size=6), body=values)
def test_records_within_the_limits_are_unchanged_and_all_others_are_limited(
    attributes: dict[str, Any], body: Any
) -> None:
    limits = Limits(records=2, depth=2, attributes=4, value_chars=5)
    span = replace(build.span(), attributes=attributes)
    record = replace(build.log_record("e"), attributes=attributes, body=body)
    limited = apply_limits(OtlpRequest(spans=(span,), logs=(record,)), limits)
    kept: list[OtlpSpan | OtlpLog] = [*limited.request.spans, *limited.request.logs]
    for one in kept:
        found = [*one.attributes.values(), *([one.body] if isinstance(one, OtlpLog) else [])]
        assert len(one.attributes) + len(one.resource) <= 4
        assert max(map(depth_of, found), default=0) <= 2
        assert max(map(longest, found), default=0) <= 5
    assert len(kept) + len(limited.request.bad) == 2
    untouched = depth_of([attributes[k] for k in attributes]) <= 3 and len(attributes) + len(span.resource) <= 4
    if untouched and longest(attributes) <= 5:
        assert limited.request.spans == (span,)


def test_records_that_could_not_be_read_count_as_records() -> None:
    bad = apply_limits(OtlpRequest(spans=(build.span(attributes={"x": [[[[]]]]}),)), Limits(depth=1)).request.bad
    with pytest.raises(TooLarge, match="the request has 2 records"):
        apply_limits(OtlpRequest(bad=bad * 2), Limits(records=1))


BOMBS = """
import sys
sys.path.insert(0, {root!r})
from monitor.ingest.http.body import TooLarge, decompress
body = open({path!r}, "rb").read()
def peak_kib():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
decompress(b"", {encoding!r}, 1)
before = peak_kib()
try:
    decompress(body, {encoding!r}, 16 << 20)
except TooLarge:
    print(peak_kib() - before)
"""


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_rejecting_a_bomb_takes_little_more_memory_than_the_limit(encoding: str, tmp_path: Path) -> None:
    """The test reads the peak memory of a separate process with 256 MiB of zeros; the limit is 16 MiB."""
    path = tmp_path / "bomb"
    path.write_bytes(bomb(encoding))
    root = str(Path(__file__).parents[3])
    code = BOMBS.format(root=root, path=str(path), encoding=encoding)
    reported = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert 0 < int(reported) / 1024 < 80, f"{encoding}: {int(reported) / 1024:.0f} MiB more at the peak"


def bomb(encoding: str) -> bytes:
    if encoding == "zstd":
        out = pa.BufferOutputStream()
        with pa.CompressedOutputStream(out, "zstd") as packer:
            for _ in range(256):
                packer.write(bytes(2**20))
        return bytes(out.getvalue())
    packer_of_zeros = zlib.compressobj(9, zlib.DEFLATED, zlib.MAX_WBITS | (16 if encoding == "gzip" else 0))
    return b"".join([*(packer_of_zeros.compress(bytes(2**20)) for _ in range(256)), packer_of_zeros.flush()])
