"""`ingest.limits` applies to every protocol of the daemon, and its responses and dead letters name the key."""

import json
from pathlib import Path
from typing import Any

import httpx

from tests.app.house import DEPLOYMENT, House, daemon
from tests.ingest.build import native

LIMITS = {"depth": 2, "attributes": 16, "value_kb": 1, "records": 4}
DEEP = {"x": [[[1]]]}


def with_limits(section: dict[str, Any]) -> dict[str, Any]:
    return {**section, "limits": LIMITS, "max_body_mb": 1, "intake_max_mb": 1, "commit_max_mb": 1}


def a_call(id_: str, **fields: Any) -> dict[str, Any]:
    return native(id=id_, deployment=DEPLOYMENT, **fields)


def of_file(*records: dict[str, Any]) -> dict[str, Any]:
    return {
        "digest": "ab" * 32,
        "name": "june.jsonl",
        "unit": "line",
        "before": {"offset": 0, "number": 0},
        "after": {"offset": 1, "number": len(records)},
        "whole": True,
        "records": [{"number": n, "text": json.dumps(record)} for n, record in enumerate(records, start=1)],
    }


def deep_span() -> dict[str, Any]:
    value: dict[str, Any] = {"stringValue": "deep"}
    for _ in range(3):
        value = {"arrayValue": {"values": [value]}}
    ids = {"traceId": "11" * 16, "spanId": "22" * 8, "name": "chat"}
    return {"resourceSpans": [{"scopeSpans": [{"spans": [ids | {"attributes": [{"key": "x", "value": value}]}]}]}]}


def reasons(house: House) -> dict[str, str]:
    return {item["source"]: item["reason"] for item in house.listed("dead_letters")}


def test_they_hold_over_the_api_in_files_and_over_otlp(tmp_path: Path) -> None:
    with daemon(tmp_path, ingest=with_limits) as house:
        long = {"messages": [{"role": "user", "content": "x" * 2_000}]}
        answer = house.api.post("/api/v1/interactions", json=[a_call("a", request=long), a_call("b", attributes=DEEP)])
        assert (answer.json()["accepted"], [r["index"] for r in answer.json()["rejected"]]) == (1, [1])
        [row] = house.listed("interactions")
        assert row["content_state"] == "truncated"
        assert house.api.post("/api/v1/interactions", json=[a_call(str(n)) for n in range(5)]).status_code == 413
        assert house.api.get("/api/v1/files", params={"digest": "ab" * 32}).json()["max_record_bytes"] == 2**20
        filed = house.api.post("/api/v1/files", json=of_file(a_call("c"), a_call("d", attributes=DEEP))).json()
        assert (filed["accepted"], [r["number"] for r in filed["rejected"]]) == (1, [2])
        sent = httpx.post(f"{house.app.addresses['ingest.otlp']}/v1/traces", json=deep_span()).json()
        assert int(sent["partialSuccess"]["rejectedSpans"]) == 1
        told = "a value is nested deeper than 2 (ingest.limits.depth); send it as JSON text"
        assert reasons(house) == {"http": told, "file": f"june.jsonl line 2: {told}", "otlp": f"span 'chat': {told}"}
