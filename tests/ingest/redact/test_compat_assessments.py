"""Assessments that MLflow's clients read back, change, override and delete."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from monitor.domain.feedback import Feedback
from monitor.domain.redaction import Action, Kind
from monitor.errors import Forbidden
from monitor.ingest.redact.redactor import Redactor
from monitor.ingest.redact.rules import Rules, RulesByDeployment
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback
from tests.ingest.pipeline import IngestPipeline, compat_app, ingest_pipeline, normalizer, served

TRACE = "abce9c308561dcc852c61dd348c41fff"
PATH = f"/api/3.0/mlflow/traces/tr-{TRACE}/assessments"
JSON = {"content-type": "application/json"}
AT = "2026-11-20T23:21:09.356000Z"
THUMB = {
    "assessment_name": "user_feedback",
    "source": {"source_type": "HUMAN", "source_id": "anna"},
    "create_time": AT,
    "last_update_time": AT,
    "feedback": {"value": False},
    "rationale": "wrong",
    "metadata": {"page": "7"},
}
EXPECTED = {
    "assessment_name": "expected_response",
    "source": {"source_type": "HUMAN"},
    "create_time": AT,
    "last_update_time": AT,
    "expectation": {"value": "14 days"},
}


def signals(pipeline: IngestPipeline) -> list[Feedback]:
    with pipeline.store.read() as tx:
        return feedback.page(tx, PageQuery(limit=100)).items


def logged(client: httpx.Client, assessment: dict[str, Any]) -> str:
    made: str = client.post(PATH, json={"assessment": assessment}).json()["assessment"]["assessment_id"]
    return made


def patch(client: httpx.Client, id_: str, mask: Any, **fields: Any) -> httpx.Response:
    return client.patch(f"{PATH}/{id_}", json={"assessment": fields, "update_mask": mask})


def only_sends(*_: object) -> None:
    raise Forbidden("this needs the role 'read'")


def test_an_assessment_is_returned_as_logged_without_the_name_of_a_person(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        ids = [logged(client, one) for one in (THUMB, EXPECTED)]
        told = [client.get(f"{PATH}/{id_}").json()["assessment"] for id_ in ids]
    about = {"trace_id": f"tr-{TRACE}", "valid": True}
    assert told == [
        {**THUMB, **about, "source": {"source_type": "HUMAN"}, "assessment_id": ids[0]},
        {**EXPECTED, **about, "assessment_id": ids[1]},
    ]


@pytest.mark.parametrize("value", [True, 0.2, 3, "good", None, ["a", 1], {"a": [True]}])
def test_a_value_of_any_type_is_returned_with_its_type(value: Any, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        id_ = logged(client, {**THUMB, "feedback": {"value": value}})
        told = client.get(f"{PATH}/{id_}").json()["assessment"]["feedback"]
    assert told == {"value": value}
    assert type(told["value"]) is type(value)


def test_redacted_values_stay_redacted_and_changes_are_redacted_too(tmp_path: Path) -> None:
    redacting = normalizer()
    rules = Rules(actions=dict.fromkeys(Kind, Action.REPLACE), hash_users=True, drop_attributes=())
    redacting.redactor = Redactor(RulesByDeployment(default=rules), b"salt")
    said = {
        **THUMB,
        "rationale": 'ask anna@example.org, "now"',
        "metadata": {"by": "änna@example.org", "paid": "with\n4111 1111 1111 1111"},
        "feedback": {"value": {"by": ["by\tben@example.org"]}},
    }
    with ingest_pipeline(tmp_path, with_normalizer=redacting) as pipeline, served(compat_app(pipeline)) as client:
        id_ = logged(client, said)
        first = client.get(f"{PATH}/{id_}").json()["assessment"]
        patch(client, id_, "rationale", rationale="or ben@example.org")
        later = client.get(f"{PATH}/{id_}").json()["assessment"]
        stored = pipeline.everything_on_disk()
    assert b"example.org" not in stored
    assert b"4111 1111" not in stored
    assert first["rationale"].startswith("ask <email:")
    assert first["rationale"].endswith('>, "now"')
    assert first["metadata"]["by"].startswith("<email:")
    assert first["metadata"]["paid"].startswith("with\n<card:")
    assert first["feedback"]["value"]["by"][0].startswith("by\t<email:")
    assert later["rationale"].startswith("or <email:")
    assert (later["metadata"], later["create_time"]) == (first["metadata"], AT)


def test_a_change_replaces_the_masked_fields_and_counts_as_later(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        id_ = logged(client, THUMB)
        told = patch(
            client, id_, "assessmentName,feedback,metadata",
            assessment_name="thumbs", feedback={"value": True}, metadata={"failure_category": "tone"}, rationale="no",
        ).json()["assessment"]  # fmt: skip
        [stored] = signals(pipeline)
        assert told == client.get(f"{PATH}/{id_}").json()["assessment"]
    assert (told["assessment_name"], told["feedback"], told["rationale"]) == ("thumbs", {"value": True}, "wrong")
    assert told["metadata"] == {"page": "7", "failure_category": "tone"}
    assert (told["create_time"], told["last_update_time"] > AT) == (AT, True)
    assert (stored.id, stored.name, stored.value, stored.comment) == (id_, "thumbs", 1.0, "wrong")
    assert (stored.failure_category, stored.is_correction) == ("tone", False)


def test_a_sender_whose_clock_is_ahead_can_change_its_assessment(tmp_path: Path) -> None:
    ahead = (datetime.now(UTC) + timedelta(hours=1)).isoformat().replace("+00:00", "Z")
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        id_ = logged(client, {**THUMB, "create_time": ahead, "last_update_time": ahead})
        told = patch(client, id_, "feedback", feedback={"value": True}).json()["assessment"]
    assert (told["feedback"], told["last_update_time"]) == ({"value": True}, ahead)


@pytest.mark.parametrize(
    ("mask", "fields", "why"),
    [
        (None, {}, "field 'update_mask' does not name a field to change"),
        ("", {}, "field 'update_mask' does not name a field to change"),
        (["feedback"], {}, "field 'update_mask' does not name a field to change"),
        ("feedback,source", {}, "field 'update_mask' names 'source'; known: assessmentName, "),
        ("expectation", {"expectation": {"value": "x"}}, "this assessment has no expectation"),
        ("assessmentName", {}, "field 'assessment_name' is missing"),
        ("feedback", {}, "the assessment has neither 'feedback' nor 'expectation'"),
        ("metadata", {"metadata": 7}, "field 'assessment.metadata' is not an object"),
        ("rationale", {"rationale": 7}, "field 'rationale' is not a string"),
    ],
)
def test_an_impossible_change_is_rejected_and_changes_nothing(
    mask: Any, fields: dict[str, Any], why: str, tmp_path: Path
) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        id_ = logged(client, THUMB)
        answer = patch(client, id_, mask, **fields)
        [stored] = signals(pipeline)
    assert (answer.status_code, answer.json()["error_code"]) == (400, "INVALID_PARAMETER_VALUE")
    assert answer.json()["message"].startswith(why)
    assert (stored.value, stored.comment) == (-1.0, "wrong")


def test_a_value_that_is_nested_too_deep_is_rejected(tmp_path: Path) -> None:
    deep = f'{{"assessment": {{"assessment_name": "x", "feedback": {{"value": {"[" * 700 + "]" * 700}}}}}}}'
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        answer = client.post(PATH, content=deep, headers=JSON)
        assert len(pipeline.letters()) == 1
    why = "a value is nested deeper than 32 (ingest.limits.depth); send it as JSON text"
    assert (answer.status_code, answer.json()["message"]) == (400, why)


def test_a_text_that_is_too_long_is_rejected_and_never_truncated(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        long = {"assessment_name": "x", "feedback": {"value": True}, "rationale": "w" * (2**20 + 1)}
        answer = client.post(PATH, json={"assessment": long})
        assert (len(pipeline.letters()), signals(pipeline)) == (1, [])
    assert (answer.status_code, answer.json()["message"]) == (
        400,
        "field 'rationale' has 1048577 characters, more than 1048576 (ingest.limits.value_kb)",
    )


@pytest.mark.parametrize("body", [None, 7, [7], {}, {"assessment": 7, "update_mask": "feedback"}])
def test_a_change_of_another_shape_is_rejected_without_a_crash(body: Any, tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        id_ = logged(client, THUMB)
        answer = client.patch(f"{PATH}/{id_}", content=json.dumps(body), headers=JSON)
    assert answer.status_code == 400, answer.text


def test_a_deleted_assessment_is_gone_and_deleting_it_again_is_no_error(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        id_ = logged(client, THUMB)
        answers = [client.delete(f"{PATH}/{id_}") for _ in range(2)]
        gone = client.get(f"{PATH}/{id_}")
        unchanged = patch(client, id_, "rationale", rationale="x")
        assert signals(pipeline) == []
    assert [(answer.status_code, answer.json()) for answer in answers] == [(200, {})] * 2
    for answer in (gone, unchanged):
        assert (answer.status_code, answer.json()["error_code"]) == (404, "RESOURCE_DOES_NOT_EXIST")


def test_an_override_replaces_another_assessment_until_it_is_deleted(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        first = logged(client, THUMB)
        second = logged(client, {**THUMB, "feedback": {"value": True}, "overrides": first})
        overridden = client.get(f"{PATH}/{first}").json()["assessment"]
        patch(client, second, "rationale", rationale="right")
        told = client.get(f"{PATH}/{second}").json()["assessment"]
        client.delete(f"{PATH}/{second}")
        restored = client.get(f"{PATH}/{first}").json()["assessment"]
    assert (overridden["valid"], overridden["feedback"]) == (False, {"value": False})
    assert (told["valid"], told["overrides"], told["rationale"]) == (True, first, "right")
    assert restored == {**overridden, "valid": True}


def test_another_trace_does_not_have_this_assessment(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        id_ = logged(client, THUMB)
        elsewhere = PATH.replace(TRACE, "f" * 32)
        assert client.get(f"{elsewhere}/{id_}").status_code == 404
        assert client.delete(f"{elsewhere}/{id_}").json() == {}
        assert len(signals(pipeline)) == 1


def test_feedback_of_other_endpoints_is_not_an_assessment(tmp_path: Path) -> None:
    score = {"id": "s-1", "traceId": TRACE, "name": "user_feedback", "value": 0, "dataType": "BOOLEAN"}
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        client.post("/api/public/scores", json=[score])
        assert client.get(f"{PATH}/langfuse-s-1").status_code == 404
        assert client.delete(f"{PATH}/langfuse-s-1").json() == {}
        assert len(signals(pipeline)) == 1


def test_a_token_without_read_permission_sees_no_data_of_others(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline, may_read=only_sends)) as client:
        id_ = logged(client, THUMB)
        asked = client.get(f"{PATH}/{id_}")
        told = patch(client, id_, "metadata", metadata={"shift": "night"}).json()["assessment"]
        assert client.delete(f"{PATH}/{id_}").status_code == 200
    assert (asked.status_code, asked.json()["error_code"]) == (403, "PERMISSION_DENIED")
    assert told.pop("last_update_time") > AT
    assert told == {
        "assessment_id": id_, "trace_id": f"tr-{TRACE}", "source": {"source_type": "HUMAN"}, "create_time": AT,
        "valid": True, "metadata": {"shift": "night"},
    }  # fmt: skip


def test_a_change_of_an_erased_assessment_restores_nothing(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        logged(client, THUMB)
        [stored] = signals(pipeline)
        with pipeline.store.write() as tx:
            feedback.retract(tx, [stored.id])
            late = replace(stored, value=1.0, revisable=True, only_revises=True)
            assert feedback.insert(tx, [late]).accepted == 0
        assert signals(pipeline) == []
