"""Runs in LangSmith's own protocol: accepted runs, rejected runs, and the error messages."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor.domain.interaction import ContentState, Status
from monitor.errors import Forbidden, MalformedRecord
from monitor.ingest.compat.langsmith_runs import merged, read_parts
from monitor.ingest.limits import Limits
from monitor.ingest.otlp.langsmith_run import record_of
from monitor.ingest.redact.redactor import Redactor
from monitor.ingest.redact.rules import Rules, RulesByDeployment
from monitor.ingest.spans import OtlpSpan
from tests.ingest.pipeline import IngestPipeline, compat_app, ingest_pipeline, normalizer, served

ID, TRACE = "0190a6c0-0000-7000-8000-00000000000a", "0190a6c0-0000-7000-8000-000000000001"
SPAN = UUID(ID).hex[16:]
ASKED = {"messages": [{"role": "user", "content": "refund?"}], "model": "gpt-4o"}
GIVEN = {"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": "30 days."}}]}
BEGUN = {
    "id": ID, "trace_id": TRACE, "parent_run_id": TRACE, "run_type": "llm", "name": "ask", "inputs": ASKED,
    "start_time": "2026-11-22T10:00:00.000000+00:00", "session_name": "support-bot",
}  # fmt: skip
ENDED = {**BEGUN, "inputs": None, "outputs": GIVEN, "end_time": "2026-11-22T10:00:02+00:00"}
WHOLE = {**ENDED, "inputs": ASKED}
JSON = {"content-type": "application/json"}


def post(pipeline: IngestPipeline, path: str, body: Any, method: str = "POST", **options: Any) -> httpx.Response:
    with served(compat_app(pipeline, **options)) as client:
        return client.request(method, path, content=json.dumps(body), headers=JSON)


def in_parts(*parts: tuple[str, Any], end: bytes = b"--") -> bytes:
    written = [
        f'Content-Disposition: form-data; name="{name}"\r\nContent-Type: application/json\r\n\r\n'.encode()
        + (value if isinstance(value, bytes) else json.dumps(value).encode())
        for name, value in parts
    ]
    return b"--b\r\n" + b"\r\n--b\r\n".join(written) + b"\r\n--b" + end + b"\r\n"


def post_parts(
    pipeline: IngestPipeline, body: bytes, content_type: str = "multipart/form-data; boundary=b"
) -> httpx.Response:
    with served(compat_app(pipeline)) as client:
        return client.post("/runs/multipart", content=body, headers={"content-type": content_type})


def one_call(pipeline: IngestPipeline) -> None:
    pipeline.join()
    [call] = pipeline.rows()
    assert (call.id, call.parent_span_id) == (f"{UUID(TRACE).hex}:{SPAN}", UUID(TRACE).hex[16:])
    assert (call.deployment, call.input_text, call.output_text) == ("support", "refund?", "30 days.")
    assert (call.duration_ms, call.status, call.content_state) == (2000.0, Status.OK, ContentState.FULL)
    assert pipeline.letters() == []


def test_a_run_that_is_posted_and_updated_is_one_call(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        assert post(pipeline, "/runs", BEGUN).status_code == 202
        assert pipeline.rows() == []
        update = {key: value for key, value in ENDED.items() if key not in ("id", "inputs")}
        assert post(pipeline, f"/runs/{ID}", update, "PATCH").status_code == 202
        one_call(pipeline)


@pytest.mark.parametrize("apart", [True, False])
def test_a_batch_has_new_and_updated_runs(tmp_path: Path, *, apart: bool) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        if apart:
            assert post(pipeline, "/runs/batch", {"post": [BEGUN]}).status_code == 202
            assert post(pipeline, "/runs/batch", {"patch": [ENDED], "post": []}).status_code == 202
        else:
            assert post(pipeline, "/runs/batch", {"post": [BEGUN], "patch": [ENDED]}).status_code == 202
        one_call(pipeline)


def test_parts_are_put_together_and_attachments_are_left_out(tmp_path: Path) -> None:
    head = {key: value for key, value in BEGUN.items() if key not in ("inputs", "outputs")}
    body = in_parts(
        (f"post.{ID}", head),
        (f"post.{ID}.inputs", ASKED),
        (f"attachment.{ID}.photo", b"\x00\xff\r\n--a picture"),
        (f"patch.{ID}", {"id": ID, "trace_id": TRACE, "end_time": ENDED["end_time"]}),
        (f"patch.{ID}.outputs", GIVEN),
    )
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post_parts(pipeline, body, 'multipart/form-data; boundary="b"')
        assert answer.status_code == 202, answer.text
        one_call(pipeline)


def test_runs_of_other_kinds_are_not_calls(tmp_path: Path) -> None:
    kinds = ("chain", "tool", "retriever", "embedding", "prompt", "parser")
    runs = [{**WHOLE, "run_type": kind, "id": ID[:-1] + str(n)} for n, kind in enumerate(kinds)]
    with ingest_pipeline(tmp_path) as pipeline:
        assert post(pipeline, "/runs/batch", {"post": runs}).status_code == 202
        assert (pipeline.rows(), pipeline.letters()) == ([], [])


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"id": "x"}, "field 'id' is not a UUID"),
        ({"trace_id": 7}, "field 'trace_id' is not a UUID"),
        ({"start_time": "soon"}, "field 'start_time' is not a time"),
        ({"run_type": None}, "ends without a 'run_type'"),
        ({"trace_id": None}, "field 'trace_id' is missing"),
    ],
)
def test_an_invalid_id_rejects_only_its_run(wrong: dict[str, Any], why: str, tmp_path: Path) -> None:
    bad = {**WHOLE, "id": ID[:-1] + "b", **wrong}
    with ingest_pipeline(tmp_path) as pipeline:
        alone = post(pipeline, "/runs", bad)
        both = post(pipeline, "/runs/batch", {"post": [bad, WHOLE]})
        one = pipeline.rows()
        letters = pipeline.letters()
    assert (alone.status_code, both.status_code) == (400, 207)
    assert why in alone.json()["detail"]
    assert (both.json()["rejected"], len(one)) == (1, 1)
    assert {letter.source for letter in letters} == {"langsmith"}
    assert all(why in letter.reason for letter in letters)


@pytest.mark.parametrize(
    ("body", "status", "why"),
    [
        (in_parts(("post.x", b"{")), 400, "part 'post.x' is not JSON"),
        (in_parts((f"post.{ID}", WHOLE), ("post.y.inputs", b"{")), 207, "part 'post.y.inputs' is not JSON"),
        (in_parts(("get.x", {})), 400, "part 'get.x' is unknown"),
        (in_parts(("post.x.secrets", {})), 400, "part 'post.x.secrets' is unknown"),
        (in_parts((f"post.{ID}", WHOLE), end=b""), 400, "ends before its last part"),
        (b"", 400, "ends before its last part"),
        (b"--b\r\n\r\n{}\r\n--b--\r\n", 400, "has no name"),
        (in_parts(("feedback.x", b"{")), 400, "not a JSON object"),
    ],
)
def test_parts_that_cannot_be_read_are_named(body: bytes, status: int, why: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post_parts(pipeline, body)
    assert answer.status_code == status, answer.text
    assert why in answer.text


def test_a_multipart_body_needs_its_content_type(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        answers = [
            client.post("/runs/multipart", content=in_parts(), headers={"content-type": named})
            for named in ("application/json", "text/plain", "multipart/form-data")
        ]
    assert [answer.status_code for answer in answers] == [415, 415, 400]
    assert answers[2].json() == {"detail": "the content type has no boundary"}


@pytest.mark.parametrize("path", ["/runs", "/runs/batch", f"/runs/{ID}"])
@pytest.mark.parametrize("body", [None, 7, "x", [7], {"id": 7, "post": 7}, {"id": "", "patch": [7], "post": [None]}])
def test_a_body_of_another_shape_is_rejected_without_a_crash(path: str, body: Any, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post(pipeline, path, body, "PATCH" if ID in path else "POST")
        assert pipeline.rows() == []
    if ID in path and isinstance(body, dict):  # an update without the id of its run
        assert answer.status_code == 202
        return
    assert answer.status_code == 400, answer.text


def test_roles_are_those_of_the_other_endpoints(tmp_path: Path) -> None:
    def forbid(*_: object) -> None:
        raise Forbidden("this needs another role")

    asked = [("POST", "/runs"), ("POST", "/runs/batch"), ("POST", "/runs/multipart"), ("PATCH", f"/runs/{ID}")]
    asked += [("PATCH", f"/feedback/{ID}"), ("DELETE", f"/feedback/{ID}")]
    read = [("GET", f"/feedback/{ID}"), ("GET", f"/feedback?run={ID}")]
    with ingest_pipeline(tmp_path) as pipeline:
        with served(compat_app(pipeline, authorize=forbid)) as client:
            assert {client.request(method, path).status_code for method, path in asked} == {403}
        with served(compat_app(pipeline, may_read=forbid)) as client:
            assert {client.request(method, path).status_code for method, path in read} == {403}


def test_the_content_of_a_run_is_redacted(tmp_path: Path) -> None:
    rules = Rules(hash_users=False, drop_attributes=())
    private = normalizer(redactor=Redactor(RulesByDeployment(default=rules), b"salt"))
    mail = "anna.schmidt@example.org"
    inputs = {"messages": [{"role": "user", "content": f"write to {mail}"}]}
    run = {**WHOLE, "inputs": inputs, "extra": {"metadata": {"note": mail}}}
    said = {"id": ID, "run_id": ID, "trace_id": TRACE, "key": "note", "comment": f"mail {mail}", "value": mail}
    with ingest_pipeline(tmp_path, with_normalizer=private) as pipeline:
        assert post(pipeline, "/runs", {**BEGUN, "inputs": inputs}).status_code == 202
        assert post(pipeline, "/runs", run).status_code == 202
        assert post(pipeline, "/runs", {**run, "start_time": mail}).status_code == 400
        assert post(pipeline, "/feedback", said).status_code == 200
        with served(compat_app(pipeline)) as client:
            given = client.get(f"/feedback/{ID}")
        assert given.json()["key"] == "note"
        assert mail not in given.text
        pipeline.join()
        pipeline.store.checkpoint_when_idle()
        assert mail.encode() not in pipeline.everything_on_disk()


@given(
    st.dictionaries(
        st.sampled_from(
            ["name", "tags", "extra", "inputs", "outputs", "events", "error", "session_name", "serialized"]
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
            lambda inner: (
                st.lists(inner, max_size=3)
                | st.dictionaries(st.sampled_from(["metadata", "messages", "generations", "id", "time", "name"]), inner)
            ),
            max_leaves=8,
        ),
    )
)
def test_no_optional_field_rejects_a_run(odd: dict[str, Any]) -> None:
    found = record_of({**WHOLE, **odd})
    assert isinstance(found, OtlpSpan)
    assert (found.span_id, found.end_ns - found.start_ns) == (SPAN, 2 * 10**9)


@given(st.binary(max_size=300))
def test_any_body_is_read_or_malformed(body: bytes) -> None:
    try:
        read_parts(b"--b" + body, "multipart/form-data; boundary=b", Limits())
    except MalformedRecord:
        return


def test_an_update_without_a_start_takes_it_from_its_place_in_the_trace() -> None:
    run = {**WHOLE, "start_time": None, "dotted_order": f"20261122T095959000000Z{TRACE}.20261122T100000500000Z{ID}"}
    found = record_of(run)
    assert isinstance(found, OtlpSpan)
    assert found.end_ns - found.start_ns == 1_500_000_000


def test_two_runs_of_one_millisecond_are_two() -> None:
    """The first halves of their ids are equal."""
    ids = [f"0190a6c0-0000-7000-8000-0000000000{n:02x}" for n in range(20)]
    spans = [record_of({**WHOLE, "id": id_}) for id_ in ids]
    assert len({span.span_id for span in spans if isinstance(span, OtlpSpan)}) == 20


def test_null_in_an_update_changes_nothing() -> None:
    assert merged([{"id": 1, "a": 1}], [{"id": 1, "a": None, "b": 2}, 7]) == [{"id": 1, "a": 1, "b": 2}, 7]
