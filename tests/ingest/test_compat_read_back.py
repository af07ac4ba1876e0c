"""Calls that clients of other products read back: filters, pages, roles, and records that are never returned."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from monitor.domain.interaction import Interaction, Origin, Status, ToolCall
from monitor.errors import Forbidden
from monitor.store.traffic import interactions
from tests.ingest.pipeline import IngestPipeline, compat_app, ingest_pipeline, served
from tests.store.build import START, assistant, interaction

TRACE = "abce9c308561dcc852c61dd348c41fff"
SPANS = "/v1/projects/support/spans"
BATCH, ONE = "/api/3.0/mlflow/traces/batchGet", "/api/3.0/mlflow/traces/get"


def call(number: int, **fields: Any) -> Interaction:
    shape: dict[str, Any] = {"trace_id": f"{number:032x}", "span_id": f"{number:016x}"}
    return interaction(f"c{number}", started_at=START + timedelta(seconds=number), **shape | fields)


def store(pipeline: IngestPipeline, *items: Interaction) -> None:
    with pipeline.store.write() as tx:
        interactions.insert(tx, [replace(item, received_at=START) for item in items])


def names(answer: Any) -> list[str]:
    return [span["id"] for span in answer.json()["data"]]


def test_calls_are_filtered_and_paged(tmp_path: Path) -> None:
    root = {"parent_span_id": None, "status": Status.ERROR, "error_type": "TimeoutError"}
    with ingest_pipeline(tmp_path) as pipeline:
        store(pipeline, call(1), call(2, parent_span_id="aa" * 8), call(3, **root), call(4, deployment="other"))
        with served(compat_app(pipeline)) as client:
            requested: list[tuple[dict[str, Any], list[str]]] = [
                ({}, ["c3", "c2", "c1"]),
                ({"span_id": f"{1:016X}"}, ["c1"]),
                ({"trace_id": [f"{1:032x}", f"{2:032x}"]}, ["c2", "c1"]),
                ({"parent_id": "aa" * 8}, ["c2"]),
                ({"parent_id": "null"}, ["c3", "c1"]),
                ({"status_code": "ERROR"}, ["c3"]),
                ({"status_code": "unset"}, []),
                ({"span_kind": "TOOL"}, []),
                ({"start_time": (START + timedelta(seconds=2)).isoformat()}, ["c3", "c2"]),
                ({"end_time": (START + timedelta(seconds=2)).isoformat()}, ["c1"]),
            ]
            for params, expected in requested:
                assert names(client.get(SPANS, params=params)) == expected, params
            first = client.get(SPANS, params={"limit": 2})
            assert names(first) == ["c3", "c2"]
            rest = client.get(SPANS, params={"limit": 2, "cursor": first.json()["next_cursor"]})
            assert (names(rest), rest.json()["next_cursor"]) == (["c1"], None)
            assert first.json()["data"][0]["status_message"] == "TimeoutError"


def test_duplicates_and_replays_are_never_returned(tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline:
        store(pipeline, call(1), call(2, duplicate_of="c1"), call(3, origin=Origin.REPLAY), call(4, span_id=None))
        with served(compat_app(pipeline)) as client:
            assert names(client.get(SPANS)) == ["c1"]
            found = client.get(BATCH, params={"trace_ids": [f"tr-{n:032x}" for n in range(1, 5)]})
            assert [t["trace_info"]["trace_id"] for t in found.json()["traces"]] == [f"tr-{1:032x}"]


@pytest.mark.parametrize(
    "params",
    [{"limit": "0"}, {"limit": "x"}, {"start_time": "soon"}, {"attribute": "a"}, {"name": "n"}, {"cursor": "?"}],
)
def test_unsupported_queries_are_rejected(params: dict[str, str], tmp_path: Path) -> None:
    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline)) as client:
        answer = client.get(SPANS, params=params)
        assert 400 <= answer.status_code < 500, answer.text
        query = client.post("/v1/spans", json={"queries": [{}]})
        assert (query.status_code, "get_spans" in query.json()["detail"]) == (422, True)


def test_a_trace_has_its_calls_in_their_order_with_tools(tmp_path: Path) -> None:
    tool = replace(assistant(""), tool_calls=(ToolCall(id="t1", name="search", arguments='{"q": 1}'),))
    with ingest_pipeline(tmp_path) as pipeline:
        store(
            pipeline,
            call(1, trace_id=TRACE, output_messages=(tool,), system_prompt="Be kind."),
            call(2, trace_id=TRACE, input_tokens=3, output_tokens=4),
        )
        with served(compat_app(pipeline)) as client:
            found = client.get(ONE, params={"trace_id": f"tr-{TRACE}"}).json()["trace"]
            [span] = client.get(SPANS, params={"span_id": f"{1:016x}"}).json()["data"]
            missing = client.get(ONE, params={"trace_id": "tr-" + "1" * 32})
            odd = client.get(ONE, params={"trace_id": "x"})
            none = client.get(BATCH)
    first, second = ({a["key"]: a["value"] for a in span["attributes"]} for span in found["spans"])
    assert "Be kind." in str(first["mlflow.spanInputs"])
    assert "search" in str(first["mlflow.spanOutputs"])
    assert "7" in str(second["mlflow.chat.tokenUsage"])
    assert (missing.status_code, odd.status_code, none.status_code) == (404, 404, 400)
    assert missing.json()["error_code"] == "RESOURCE_DOES_NOT_EXIST"
    attributes = span["attributes"]
    assert attributes["llm.input_messages.0.message.role"] == "system"
    at = "llm.output_messages.0.message.tool_calls.0.tool_call"
    assert (attributes[f"{at}.id"], attributes[f"{at}.function.name"]) == ("t1", "search")


def test_reading_back_needs_the_role_read(tmp_path: Path) -> None:
    def forbid(*_: object) -> None:
        raise Forbidden("this needs the role 'read'")

    with ingest_pipeline(tmp_path) as pipeline, served(compat_app(pipeline, may_read=forbid)) as client:
        paths = (SPANS, f"{BATCH}?trace_ids=tr-{TRACE}", f"{ONE}?trace_id=tr-{TRACE}")
        assert {client.get(path).status_code for path in paths} == {403}
