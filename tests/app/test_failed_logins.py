"""Repeated wrong tokens are throttled on every port; a valid token is not, even from the same address."""

import hashlib
from collections.abc import Iterator
from typing import Any

import grpc
import httpx
import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.app.house import House, daemon

TOKEN = "the-right-token-of-the-team"
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
BODY = ExportTraceServiceRequest().SerializeToString()


def with_token(section: dict[str, Any]) -> dict[str, Any]:
    team = {"name": "team", "sha256": hashlib.sha256(TOKEN.encode()).hexdigest(), "roles": ["admin"]}
    return {**section, "tokens": [team]}


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with daemon(tmp_path_factory.mktemp("logins"), api=with_token) as found:
        yield found


def over_api(house: House, token: str) -> httpx.Response:
    return house.api.get("/api/v1/whoami", headers=bearer(token))


def over_otlp(house: House, token: str) -> httpx.Response:
    headers = {**bearer(token), "content-type": "application/x-protobuf"}
    return house.api.post(f"{house.app.addresses['ingest.otlp']}/v1/traces", content=BODY, headers=headers)


def over_langfuse(house: House, token: str) -> httpx.Response:
    url = f"{house.app.addresses['ingest.otlp']}/api/public/scores"
    return house.api.post(url, json=[], auth=("public", token))


def bearer(token: str) -> dict[str, str]:
    return {"authorization": f"Bearer {token}"} if token else {}


WAYS = [over_api, over_otlp, over_langfuse]


@pytest.mark.parametrize("way", WAYS)
def test_guesses_are_throttled_with_the_time_to_come_back(house: House, way: Any) -> None:
    answers = [way(house, f"guess-{n}") for n in range(100)]
    assert [answer.status_code for answer in answers[:5]] == [401] * 5
    assert sum(answer.status_code == 429 for answer in answers) > 80
    assert 1 <= int(answers[-1].headers["retry-after"]) <= 4


def test_a_throttled_address_is_throttled_on_every_port_and_a_right_token_is_accepted(house: House) -> None:
    for n in range(50):
        over_api(house, f"guess-{n}")
    assert [way(house, "wrong").status_code for way in WAYS] == [429, 429, 429]
    assert [way(house, TOKEN).status_code // 100 for way in WAYS] == [2, 2, 2]
    assert [way(house, "").status_code for way in (over_api, over_otlp)] == [401, 401]
    where = house.app.addresses["ingest.otlp_grpc"].removeprefix("http://")
    with grpc.insecure_channel(where) as channel:
        call: Any = channel.unary_unary(EXPORT)
        with pytest.raises(grpc.RpcError) as refused:
            call(BODY, timeout=10, metadata=(("authorization", "Bearer wrong"),))
        assert call(BODY, timeout=10, metadata=(("authorization", f"Bearer {TOKEN}"),)) == b""
    error: Any = refused.value
    assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    assert "google.rpc.retryinfo-bin" in dict(error.trailing_metadata())
    metrics = house.api.get("/metrics", headers=bearer(TOKEN)).text
    assert 'driftd_auth_failures_total{listener="ingest.otlp_grpc",result="throttled"} 1' in metrics
    assert 'driftd_auth_failures_total{listener="api",result="rejected"}' in metrics
