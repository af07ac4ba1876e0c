"""A score of an external client in a complete daemon: linked to its call, and proposed as a case."""

import hashlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx

from tests.app.house import DEPLOYMENT, House, daemon

TRACE, SPAN = "abce9c308561dcc852c61dd348c41fff", "c8ba3b94979b3df8"
SETTLE_S = 60.0
PAUSE = timedelta(seconds=30)
SCALES = {"csat": {"low": 1, "high": 5, "source": "user"}, "groundedness": {"low": 0, "high": 1}}


def with_scales(section: dict[str, Any]) -> dict[str, Any]:
    return {**section, "feedback_scores": SCALES}


def with_token(section: dict[str, Any]) -> dict[str, Any]:
    app = {"name": "app", "sha256": hashlib.sha256(b"ingest-token").hexdigest(), "roles": ["ingest"]}
    team = {"name": "team", "sha256": hashlib.sha256(b"team-token").hexdigest(), "roles": ["admin"]}
    return {**section, "tokens": [app, team]}


def reviewed_by_people(section: dict[str, Any]) -> dict[str, Any]:
    return {name: {key: value for key, value in one.items() if key != "auto_accept"} for name, one in section.items()}


def a_call(at: str) -> dict[str, Any]:
    return {
        "deployment": DEPLOYMENT,
        "started_at": at,
        "trace_id": TRACE,
        "span_id": SPAN,
        "request": {"messages": [{"role": "user", "content": "May I return a used kettle?"}]},
        "response": {"messages": [{"role": "assistant", "content": "Of course."}], "finish_reason": "stop"},
    }


def a_score(name: str, value: Any, data_type: str) -> dict[str, Any]:
    about = {"traceId": TRACE, "observationId": SPAN}
    return {"id": f"id-{name}", "name": name, "value": value, "dataType": data_type, **about}


def signals(house: House) -> dict[str, dict[str, Any]]:
    return {item["name"]: item for item in house.listed("feedback")}


def test_a_correction_from_langfuse_reaches_its_call_and_proposes_a_case(tmp_path: Path) -> None:
    with daemon(tmp_path, ingest=with_scales, api=with_token) as house:
        house.api.headers["authorization"] = "Bearer team-token"
        scores = [
            a_score("output", "No, unused ones only.", "CORRECTION"),
            a_score("csat", 2.0, "NUMERIC"),
            a_score("groundedness", 0.1, "NUMERIC"),
        ]
        with httpx.Client(base_url=house.app.addresses["ingest.otlp"]) as otlp:
            assert otlp.post("/api/public/scores", json=scores).status_code == 401
            assert otlp.post("/api/public/scores", json=scores, auth=("pk", "ingest-token")).status_code == 202
        house.api.post("/api/v1/interactions", json=a_call(house.clock.now().isoformat())).raise_for_status()
        house.clock.advance_to(house.clock.now() + PAUSE)  # what came before its call is due for another look
        house.app.settle(SETTLE_S)
        found = signals(house)
        [candidate] = house.listed("candidates")
    assert {item["linked_interaction_id"] for item in found.values()} == {found["output"]["linked_interaction_id"]}
    assert {item["deployment"] for item in found.values()} == {DEPLOYMENT}
    assert (found["csat"]["kind"], found["csat"]["value"], found["csat"]["is_correction"]) == ("rating", 0.25, True)
    assert (found["groundedness"]["value"], found["groundedness"]["is_correction"]) == (0.1, False)
    assert candidate["expected"] == "No, unused ones only."


def test_a_correction_that_is_changed_proposes_again_and_one_that_is_taken_back_proposes_nothing(
    tmp_path: Path,
) -> None:
    trace = f"/api/3.0/mlflow/traces/tr-{TRACE}/assessments"
    said = {"assessment_name": "expected_response", "span_id": SPAN, "expectation": {"value": "No."}}
    with daemon(tmp_path, api=with_token, sets=reviewed_by_people) as house:
        house.api.headers["authorization"] = "Bearer team-token"
        house.api.post("/api/v1/interactions", json=a_call(house.clock.now().isoformat())).raise_for_status()
        sender = {"authorization": "Bearer ingest-token"}
        with httpx.Client(base_url=house.app.addresses["ingest.otlp"], headers=sender) as otlp:
            [score] = [a_score("output", "Never.", "CORRECTION")]
            otlp.post("/api/public/scores", json=[score]).raise_for_status()
            assert expected(house) == ["Never."]
            otlp.post("/api/public/scores", json=[{**score, "value": "Unused ones only."}]).raise_for_status()
            assert expected(house) == ["Unused ones only."]
            made = otlp.post(trace, json={"assessment": said}).raise_for_status().json()["assessment"]
            one = f"{trace}/{made['assessment_id']}"
            assert expected(house) == ["Unused ones only."], "a question enters once"
            assert otlp.get(one).status_code == 403
            given = httpx.get(str(otlp.base_url.join(one)), headers={"authorization": "Bearer team-token"})
            assert given.json()["assessment"]["expectation"] == {"value": "No."}
            otlp.post("/api/public/scores", json=[{**score, "value": "ok", "dataType": "TEXT"}]).raise_for_status()
            assert expected(house) == ["No."]
            assert otlp.delete(one).json() == {}
            assert expected(house) == []
        assert [item["name"] for item in house.listed("feedback")] == ["output"]


def expected(house: House) -> list[str]:
    """Return the expectations of the proposed cases."""
    house.clock.advance_to(house.clock.now() + PAUSE)
    house.app.settle(SETTLE_S)
    return [item["expected"] for item in house.listed("candidates")]


def test_the_native_api_takes_every_field_of_the_contract_and_answers_a_repeated_key_the_same(tmp_path: Path) -> None:
    with daemon(tmp_path) as house:
        at = house.clock.now().isoformat()
        about = {"deployment": DEPLOYMENT, "at": at, "source": "reviewer", "failure_category": "wrong_policy"}
        said = [
            {
                "type": "feedback",
                "id": "t",
                "interaction_id": "i-1",
                "kind": "thumb",
                "value": -1,
                "expected": "no",
                **about,
            },
            {
                "type": "feedback",
                "id": "r",
                "response_id": "r-1",
                "kind": "rating",
                "value": 0.2,
                "comment": "hm",
                **about,
            },
            {
                "type": "feedback",
                "id": "e",
                "trace_id": TRACE,
                "span_id": SPAN,
                "kind": "edit",
                "value": "No.",
                **about,
            },
            *(
                {"type": "feedback", "id": kind, "conversation_id": "c-1", "kind": kind, **about}
                for kind in ("retry", "report", "ticket", "comment")
            ),
        ]
        call = {
            **a_call(at),
            "type": "interaction",
            "id": "i-1",
            "duration_ms": 812,
            "conversation_id": "c-1",
            "user_id": "u-1",
            "request": {"model": "m", "messages": [{"role": "user", "content": "May I?"}], "temperature": 0.2},
            "response": {
                "model": "m-1",
                "id": "r-1",
                "system_fingerprint": "fp",
                "finish_reason": "stop",
                "messages": [{"role": "assistant", "content": "Of course."}],
            },
            "usage": {"input_tokens": 5, "output_tokens": 9},
            "prompt": {"id": "p", "version": "7"},
            "error": None,
            "attributes": {"tenant": "acme"},
        }
        key = {"Idempotency-Key": "night-1"}
        answers = [house.api.post("/api/v1/feedback", json=said, headers=key) for _ in range(2)]
        one = house.api.post("/api/v1/interactions", json=call).raise_for_status().json()
        house.clock.advance_to(house.clock.now() + PAUSE)
        house.app.settle(SETTLE_S)
        found = {item["id"]: item for item in house.listed("feedback")}
    assert [answer.json() for answer in answers] == [{"accepted": 7, "duplicates": 0, "rejected": []}] * 2
    assert answers[1].headers["idempotency-replayed"] == "true"
    assert one == {"accepted": 1, "duplicates": 0, "rejected": []}
    assert {item["linked_interaction_id"] for item in found.values()} == {"i-1"}
    assert {name: item["link_method"] for name, item in found.items()} == {
        "t": "interaction_id", "r": "response_id", "e": "span", "retry": "conversation", "report": "conversation",
        "ticket": "conversation", "comment": "conversation",
    }  # fmt: skip
    assert all(item["is_correction"] and item["source"] == "reviewer" for item in found.values())
