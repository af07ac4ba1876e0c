"""Answers to the clients of other products, in each product's format."""

import json
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.feedback import Feedback
from monitor.errors import Forbidden, Unauthenticated
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback
from tests.ingest.pipeline import IngestPipeline, compat_app, ingest_pipeline, normalizer, served

TRACE = "abce9c308561dcc852c61dd348c41fff"
SPAN = "c8ba3b94979b3df8"
PHOENIX = "/v1/span_annotations"
SCORES = "/api/public/scores"
INGESTION = "/api/public/ingestion"
ASSESSMENTS = f"/api/3.0/mlflow/traces/tr-{TRACE}/assessments"
ASKED = ("/feedback", "/api/3.0/mlflow/traces", "/api/3.0/mlflow/traces/search")
READ_BACK = "/v1/projects/any/span_annotations"
SCORE = {"id": "s-1", "traceId": TRACE, "name": "user_feedback", "value": 0, "dataType": "BOOLEAN"}
ANNOTATION = {"name": "user_feedback", "annotator_kind": "HUMAN", "span_id": SPAN, "result": {"label": "thumbs-down"}}


def signals(pipeline: IngestPipeline) -> list[Feedback]:
    with pipeline.store.read() as tx:
        return feedback.page(tx, PageQuery(limit=100)).items


def post(pipeline: IngestPipeline, path: str, body: Any, **options: Any) -> Any:
    with served(compat_app(pipeline, **options)) as client:
        return client.post(path, content=json.dumps(body), headers={"content-type": "application/json"})


def refuse(*_: object) -> None:
    raise Unauthenticated("a token is required")


def forbid(*_: object) -> None:
    raise Forbidden("this needs the role 'ingest'")


@pytest.mark.parametrize(
    ("path", "unauthenticated", "forbidden"),
    [
        (PHOENIX, {"detail": "a token is required"}, {"detail": "this needs the role 'ingest'"}),
        (
            SCORES,
            {"message": "a token is required", "error": "unauthenticated"},
            {"message": "this needs the role 'ingest'", "error": "forbidden"},
        ),
        (
            ASSESSMENTS,
            {"message": "a token is required", "error_code": "UNAUTHENTICATED"},
            {"message": "this needs the role 'ingest'", "error_code": "PERMISSION_DENIED"},
        ),
    ],
)
def test_a_token_without_the_role_is_rejected(
    path: str, unauthenticated: dict[str, str], forbidden: dict[str, str], tmp_path: Path
) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        no_token, wrong_role = post(pipeline, path, {}, authorize=refuse), post(pipeline, path, {}, authorize=forbid)
        assert signals(pipeline) == []
    assert (no_token.status_code, no_token.json()) == (401, unauthenticated)
    assert (wrong_role.status_code, wrong_role.json()) == (403, forbidden)


@pytest.mark.parametrize("path", [PHOENIX, "/v1/span_notes", SCORES, INGESTION, ASSESSMENTS, *ASKED])
@pytest.mark.parametrize("body", [None, 7, "x", [7], {}, {"data": 7}, {"data": [7]}, {"assessment": 7}, {"batch": 7}])
def test_a_body_of_another_shape_is_rejected_without_a_crash(path: str, body: Any, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post(pipeline, path, body)
        assert signals(pipeline) == []
    assert answer.status_code in {207, 400, 422}, answer.text
    assert answer.headers["content-type"] == "application/json"


def test_a_full_intake_makes_every_client_retry(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path, max_rows=1) as pipeline:
        pipeline.intake.close()
        for path, body in ((SCORES, [SCORE]), (PHOENIX, {"data": [ANNOTATION]})):
            answer = post(pipeline, path, body)
            assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")


def test_bad_scores_of_a_list_are_reported_and_the_others_are_stored(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post(
            pipeline, SCORES, [SCORE, {**SCORE, "id": "s-2", "value": 3}, {**SCORE, "id": "s-3", "traceId": None}]
        )
        assert [item.id for item in signals(pipeline)] == ["langfuse-s-1"]
        assert len(pipeline.letters()) == 2
    assert answer.status_code == 207
    assert answer.json() == {
        "accepted": 1,
        "rejected": 2,
        "errors": [
            {"message": "scores[1]: field 'value' of a BOOLEAN score is not 0 or 1"},
            {"message": "scores[2]: a score must name its subject by one of the fields traceId, sessionId"},
        ],
    }


def test_a_single_score_of_an_older_client_is_answered_with_its_id(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post(pipeline, SCORES, SCORE)
        bad = post(pipeline, SCORES, {**SCORE, "name": None})
    assert (answer.status_code, answer.json()) == (200, {"id": "s-1"})
    assert (bad.status_code, bad.json()["message"]) == (400, "field 'name' is missing")


def test_a_batch_of_an_older_client_is_answered_event_by_event(tmp_path: Path) -> None:
    events = [
        {"id": "e-1", "type": "score-create", "timestamp": "2026-11-20T23:25:35Z", "body": SCORE},
        {"id": "e-2", "type": "trace-create", "timestamp": "2026-11-20T23:25:35Z", "body": {"id": TRACE}},
        {"id": "e-3", "type": "sdk-log", "timestamp": "2026-11-20T23:25:35Z", "body": {"log": "x"}},
    ]
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post(pipeline, INGESTION, {"batch": events, "metadata": {}})
        [stored] = signals(pipeline)
    assert stored.at.isoformat() == "2026-11-20T23:25:35+00:00"
    assert answer.status_code == 207
    result = answer.json()
    assert {event["id"] for event in result["successes"]} == {"e-1", "e-3"}
    [refused] = result["errors"]
    assert (refused["id"], refused["status"]) == ("e-2", 400)
    assert "/api/public/otel/v1/traces" in refused["message"]


def test_phoenix_returns_ids_and_names_the_bad_record(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        waited = post(pipeline, f"{PHOENIX}?sync=true", {"data": [ANNOTATION]})
        at_once = post(pipeline, PHOENIX, {"data": [ANNOTATION]})
        bad = post(pipeline, PHOENIX, {"data": [ANNOTATION, {**ANNOTATION, "result": {}}]})
        [stored] = signals(pipeline)
    assert waited.json() == {"data": [{"id": stored.id}]}
    assert at_once.json() == {"data": []}
    assert bad.status_code == 422
    assert bad.json()["detail"].startswith("data[1]: field 'result' has no label, score or explanation")


def test_the_same_name_under_another_identifier_is_another_annotation(tmp_path: Path) -> None:
    changed = {**ANNOTATION, "result": {"label": "thumbs-up"}}
    with ingest_pipeline(tmp_path) as pipeline:
        post(pipeline, PHOENIX, {"data": [ANNOTATION]})
        post(pipeline, PHOENIX, {"data": [changed]})
        post(pipeline, PHOENIX, {"data": [{**ANNOTATION, "identifier": "second"}]})
        assert sorted(item.value or 0 for item in signals(pipeline)) == [-1.0, 1.0]


def test_an_assessment_is_returned_with_an_id_and_a_repeated_one_is_stored_once(tmp_path: Path) -> None:
    reported = {"assessment_name": "user_feedback", "source": {"source_type": "HUMAN"}, "feedback": {"value": False}}
    first = {**reported, "create_time": "2026-11-20T23:21:09.356Z", "last_update_time": "2026-11-20T23:21:09.356Z"}
    with ingest_pipeline(tmp_path) as pipeline:
        built = post(pipeline, ASSESSMENTS, {"assessment": first}).json()["assessment"]
        again = post(pipeline, ASSESSMENTS, {"assessment": first}).json()["assessment"]
        [stored] = signals(pipeline)
    assert built == again
    assert built["feedback"] == {"value": False}
    assert (stored.id, stored.value) == (built["assessment_id"], -1.0)


def test_feedback_on_a_replay_is_not_stored(tmp_path: Path) -> None:
    ours = normalizer(known_run=lambda trace_id: "run-1" if trace_id == TRACE else None)
    with ingest_pipeline(tmp_path, with_normalizer=ours) as pipeline:
        assert post(pipeline, SCORES, [SCORE]).status_code == 202
        assert signals(pipeline) == []


def test_stored_records_are_returned_only_to_readers(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline, may_read=forbid)) as client:
        assert client.get(READ_BACK, params={"span_ids": SPAN}).status_code == 403
        body = {"locations": [{"mlflow_experiment": {"experiment_id": "0"}}]}
        assert client.post("/api/3.0/mlflow/traces/search", json=body).status_code == 403
        assert client.get("/api/public/projects").status_code == 200


@pytest.mark.parametrize(
    "requested", [{}, {"span_ids": SPAN, "limit": "0"}, {"span_ids": SPAN, "limit": "x"}, {"span_ids": [SPAN] * 1001}]
)
def test_annotations_are_read_back_within_bounds(requested: dict[str, Any], tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        assert client.get(READ_BACK, params=requested).status_code == 422
        assert client.get(READ_BACK, params={"span_ids": SPAN, "cursor": "no cursor"}).status_code == 400


def test_annotations_are_read_back_page_by_page_in_their_order(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        for name in "abcde":
            client.post(PHOENIX, json={"data": [{**ANNOTATION, "name": name}]}).raise_for_status()
        read: list[str] = []
        cursor = None
        while cursor is not None or not read:
            requested = {"span_ids": SPAN, "limit": "2", **({"cursor": cursor} if cursor else {})}
            page = client.get(READ_BACK, params=requested).raise_for_status().json()
            assert len(page["data"]) <= 2
            read += [one["name"] for one in page["data"]]
            cursor = page["next_cursor"]
    assert sorted(read) == list("abcde")


@pytest.mark.parametrize(
    ("name", "result"),
    [("filter", "has no filter"), ("order_by", "has no filter"), ("max_results", "'max_results'")],
)
def test_an_unsupported_search_is_rejected_with_its_name(name: str, result: str, tmp_path: Path) -> None:
    body = {"locations": [{"mlflow_experiment": {"experiment_id": "0"}}], name: ["x"]}
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post(pipeline, "/api/3.0/mlflow/traces/search", body)
    assert (answer.status_code, answer.json()["error_code"]) == (400, "INVALID_PARAMETER_VALUE")
    assert result in answer.json()["message"]


def test_an_experiment_id_of_another_server_is_unknown(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        answer = client.get("/api/2.0/mlflow/experiments/get", params={"experiment_id": "\xff"})
        assert client.get("/version").text == "3.4.0"
    assert (answer.status_code, answer.json()["error_code"]) == (404, "RESOURCE_DOES_NOT_EXIST")


RUN = "01a203a9-ce97-746b-a65b-928550c6d773"


@pytest.mark.parametrize(
    ("fields", "result"),
    [
        ({"run_id": None}, "feedback must name its subject by one of the fields run_id, trace_id"),
        ({"run_id": "7"}, "field 'run_id' is not a UUID"),
        ({"id": None}, "field 'id' is missing"),
        ({"key": None}, "'key'"),
        ({"score": "high"}, "'score'"),
    ],
)
def test_unreadable_langsmith_feedback_has_a_reason(fields: dict[str, Any], result: str, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        answer = post(pipeline, "/feedback", {"id": RUN, "run_id": RUN, "key": "k", "score": 1} | fields)
        [letter] = pipeline.letters()
    assert answer.status_code == 400
    assert result in answer.json()["detail"]
    assert letter.source == "langsmith"


def test_langsmith_feedback_posted_again_is_an_update(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        for score in (1, 0):
            post(pipeline, "/feedback", {"id": RUN, "run_id": RUN, "key": "user_feedback", "score": score})
        [reported] = signals(pipeline)
    assert (reported.id, reported.value, reported.span_id) == (f"langsmith-{RUN}", -1.0, RUN.replace("-", "")[:16])
