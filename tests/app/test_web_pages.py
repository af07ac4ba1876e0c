"""A web page in a browser of the same machine cannot write to any port of a daemon without tokens."""

import socket
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.app.house import House, daemon

PAGE = {"host": "evil.example", "origin": "https://evil.example"}
SCORE = {"id": "s-1", "traceId": "abce9c308561dcc852c61dd348c41fff", "name": "user_feedback", "value": 0}
CALLS = [
    ("api", "/api/v1/feedback"),
    ("ingest.otlp", "/api/public/scores"),
    ("ingest.otlp", "/api/public/ingestion"),
    ("ingest.otlp", "/v1/span_annotations"),
    ("ingest.otlp", "/api/3.0/mlflow/traces/tr-abce9c308561dcc852c61dd348c41fff/assessments"),
    ("ingest.otlp", "/v1/traces"),
]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with daemon(tmp_path_factory.mktemp("web")) as found:
        yield found


def post(house: House, key: str, path: str, **headers: str) -> Any:
    url = f"{house.app.addresses[key]}{path}"
    return house.api.post(url, json=SCORE, headers={"content-type": "application/json", **headers})


@pytest.mark.parametrize(("key", "path"), CALLS)
@pytest.mark.parametrize("name", PAGE)
def test_a_foreign_host_or_origin_is_refused_on_every_port(house: House, key: str, path: str, name: str) -> None:
    refused = post(house, key, path, **{name: PAGE[name]})
    assert (refused.status_code, refused.json()["code"]) == (403, f"{name}_not_local")


@pytest.mark.parametrize(("key", "path"), CALLS)
@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_what_a_page_may_send_unasked_is_refused_on_every_port(house: House, key: str, path: str, kind: str) -> None:
    assert post(house, key, path, **{"content-type": kind}).status_code == 415
    assert house.listed("feedback") == []


def test_grpc_answers_nothing_that_a_browser_can_send(house: House) -> None:
    where = urlsplit(house.app.addresses["ingest.otlp_grpc"])
    with socket.create_connection((str(where.hostname), int(where.port or 0)), timeout=10) as page:
        page.sendall(b"POST /opentelemetry.proto.collector.trace.v1.TraceService/Export HTTP/1.1\r\n\r\n")
        answer = b"".join(iter(lambda: page.recv(4096), b""))
    assert not answer.startswith(b"HTTP/1.1 200")
    assert house.listed("interactions") == []
