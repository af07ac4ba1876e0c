"""Typical mistakes of a first setup on all ports of a daemon: each response names the problem and the solution."""

import hashlib
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc
import httpx
import pytest
import yaml
from google.protobuf.json_format import MessageToDict  # type: ignore[import-untyped]
from google.rpc.status_pb2 import Status  # type: ignore[import-untyped]
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from monitor.cli.main import main
from tests.ingest.build import native
from tests.kills.process import Daemon

SECRET = "the-token-of-the-team"
GOOD = {"authorization": f"Bearer {SECRET}"}
EXPORT = "/opentelemetry.proto.collector.trace.v1.TraceService/Export"
PROTOBUF, JSON = "application/x-protobuf", "application/json"
WANTED = "send the header 'Authorization: Bearer <token>'"


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with Daemon(folder=tmp_path_factory.mktemp("wrong"), model_url="http://127.0.0.1:9/v1") as daemon:
        tree = yaml.safe_load(daemon.config.read_text())
        team = {"name": "team", "sha256": hashlib.sha256(SECRET.encode()).hexdigest(), "roles": ["admin"]}
        tree["api"]["tokens"] = [team]
        daemon.config.write_text(yaml.safe_dump(tree))
        daemon.start()
        daemon.wait_ready()
        yield daemon
        assert daemon.stop() == 0


def port(daemon: Daemon, name: str) -> str:
    return daemon.addresses[name].rsplit(":", 1)[1]


def request(trace: int = 1, *, at: datetime | None = None) -> ExportTraceServiceRequest:
    """Return one call of a model."""
    start_ns = int((at or datetime.now(UTC)).timestamp()) * 10**9
    made = ExportTraceServiceRequest()
    group = made.resource_spans.add()
    group.resource.attributes.add(key="service.name").value.string_value = "support-bot"
    span = group.scope_spans.add().spans.add(
        trace_id=trace.to_bytes(16, "big"),
        span_id=trace.to_bytes(8, "big"),
        name="chat gpt-4",
        start_time_unix_nano=start_ns,
        end_time_unix_nano=start_ns + 10**9,
    )
    for key, value in (("gen_ai.operation.name", "chat"), ("gen_ai.request.model", "gpt-4")):
        span.attributes.add(key=key).value.string_value = value
    return made


def spelled(message: ExportTraceServiceRequest, *, snake_case: bool) -> dict[str, Any]:
    """Encode ids: hex in OTLP JSON, base64 in protobuf JSON."""
    document: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=snake_case)
    outer, middle, ids = (
        ("resource_spans", "scope_spans", ("trace_id", "span_id"))
        if snake_case
        else ("resourceSpans", "scopeSpans", ("traceId", "spanId"))
    )
    for group in document[outer]:
        for scope in group[middle]:
            for span, sent in zip(scope["spans"], message.resource_spans[0].scope_spans[0].spans, strict=True):
                span[ids[0]], span[ids[1]] = sent.trace_id.hex(), sent.span_id.hex()
    return document


def send(daemon: Daemon, body: bytes, content_type: str, path: str = "/v1/traces") -> httpx.Response:
    return daemon.http.post(f"{daemon.otlp}{path}", content=body, headers={**GOOD, "content-type": content_type})


def said(answer: httpx.Response) -> str:
    """Return the message of an OTLP response, in the content type of the request."""
    if answer.headers["content-type"] == PROTOBUF:
        return str(Status.FromString(answer.content).message)
    return str(answer.json()["message"])


def stored(daemon: Daemon) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    asked: dict[str, str] | None = {"limit": "100"}
    while asked is not None:  # a slow machine returns less than a page
        answer = daemon.http.get(f"{daemon.api}/api/v1/interactions", params=asked, headers=GOOD)
        page = answer.raise_for_status().json()
        found |= {item["trace_id"] or item["id"]: item for item in page["items"]}
        asked = {"limit": "100", "cursor": page["next_cursor"]} if page["next_cursor"] else None
    return found


@pytest.mark.parametrize("path", ["/v1/traces", "/v1/logs", "/v1/metrics", "/api/public/otel/v1/traces"])
@pytest.mark.parametrize("content_type", [PROTOBUF, JSON])
def test_otlp_at_the_port_of_the_api_is_reported_both_ports_of_otlp(
    served: Daemon, path: str, content_type: str
) -> None:
    answer = served.http.post(f"{served.api}{path}", content=b"{}", headers={"content-type": content_type})
    assert answer.status_code == 404
    assert answer.json()["detail"] == (
        f"this is the port of the API; send OTLP/HTTP to port {port(served, 'otlp')} (ingest.otlp.port), or "
        f"OTLP/gRPC to port {port(served, 'grpc')} (ingest.otlp_grpc.port)"
    )


@pytest.mark.parametrize(
    "path",
    ["/api/public/scores", "/api/3.0/mlflow/traces/t/assessments", "/v1/span_annotations", "/runs/batch", "/info"],
)
def test_other_products_clients_at_the_port_of_the_api_are_reported_theirs(served: Daemon, path: str) -> None:
    detail = served.http.post(f"{served.api}{path}", json={}).json()["detail"]
    assert f"clients of other products use port {port(served, 'otlp')}" in detail


def test_native_json_at_the_port_of_otlp_is_reported_the_port_of_the_api(served: Daemon) -> None:
    answer = send(served, b"{}", JSON, "/api/v1/interactions")
    assert answer.status_code == 404
    assert said(answer) == (
        "no such endpoint: POST /api/v1/interactions; this is the port of OTLP/HTTP; send API requests and "
        f"native JSON to port {port(served, 'api')} (api.port)"
    )


@pytest.mark.parametrize(("name", "listener"), [("api", "the API"), ("otlp", "OTLP/HTTP")])
def test_a_grpc_client_at_a_port_of_http_is_named_in_the_log(served: Daemon, name: str, listener: str) -> None:
    """The client does not show the response to its user."""
    with grpc.insecure_channel(served.addresses[name].removeprefix("http://")) as channel:
        export: Any = channel.unary_unary(EXPORT)
        for _ in range(2):
            with pytest.raises(grpc.RpcError):
                export(b"", timeout=5)
    line = f"a gRPC client at 127.0.0.1 connected to the port of {listener}, which accepts only HTTP/1; send OTLP/gRPC"
    assert served.log.count(f"{line} to port {port(served, 'grpc')} (ingest.otlp_grpc.port)") == 1


def test_json_under_the_name_of_protobuf_is_named_and_so_is_the_reverse(served: Daemon) -> None:
    message = request()
    as_json, as_protobuf = (
        json.dumps(spelled(message, snake_case=False), indent=1).encode(),
        message.SerializeToString(),
    )
    for body in (as_json, b"\n " + as_json):
        answer = send(served, body, PROTOBUF)
        assert answer.status_code == 400
        assert said(answer) == f"the body is JSON, and the content type is {PROTOBUF}; send it as {JSON}"
    answer = send(served, as_protobuf, JSON)
    assert answer.status_code == 400
    assert said(answer) == f"the body is not JSON and looks like protobuf; send it as {PROTOBUF}"


def test_logs_sent_as_traces_and_json_that_is_no_otlp_are_refused(served: Daemon) -> None:
    answer = send(served, b'{"resourceLogs": [{}]}', JSON)
    assert (answer.status_code, said(answer)) == (
        400,
        "the body has logs, and this path accepts traces; send it to /v1/logs",
    )
    answer = send(served, b'{"spans": [], "name": "x"}', JSON)
    assert (answer.status_code, said(answer)) == (
        400,
        "the body has no field resourceSpans: it is not an OTLP request; it has name, spans",
    )
    for body in (b"{}", b'{"resourceSpans": []}', b'{"resource_spans": null}'):
        assert send(served, body, JSON).status_code == 200


def test_snake_case_json_gives_the_row_that_camel_case_gives(served: Daemon) -> None:
    for trace, snake_case in ((21, False), (22, True)):
        body = json.dumps(spelled(request(trace), snake_case=snake_case)).encode()
        answer = send(served, body, JSON)
        assert (answer.status_code, answer.json()) == (200, {})
    rows = stored(served)
    camel, snake = (rows[f"{trace:032x}"] for trace in (21, 22))
    assert snake["request_model"] == "gpt-4"
    differ = {"id", "trace_id", "span_id", "received_at", "started_at"}
    assert {k: v for k, v in camel.items() if k not in differ} == {k: v for k, v in snake.items() if k not in differ}


NO_TOKEN = [
    (None, "a token is required; "),
    (SECRET, "the Authorization header has no scheme: the word Bearer is missing before the token; "),
    (f"Bearer:{SECRET}", "the Authorization header is malformed: Bearer must be followed by a space; "),
    ("Bearer", "the Authorization header is malformed: no token follows Bearer; a variable may not be set; "),
    (f"Token {SECRET}", "the Authorization header has the scheme 'token', which driftd does not support; "),
]
UNKNOWN = [
    (f"Bearer Bearer {SECRET}", "the Authorization header is malformed: it contains the word Bearer twice; "),
    (f'Bearer "{SECRET}"', "the Authorization header is malformed: the token is in quotes or brackets; "),
    (
        "Bearer ${TOKEN}",
        "the Authorization header is malformed: it contains the name of a variable instead of its value",
    ),
    ("Bearer wrong", "the token is unknown; send one of api.tokens or one that `driftd tokens create` made"),
]


def over_http(served: Daemon, sent: dict[str, str]) -> list[str]:
    over_api = served.http.get(f"{served.api}/api/v1/whoami", headers=sent)
    over_otlp = served.http.post(f"{served.otlp}/v1/traces", content=b"{}", headers={**sent, "content-type": JSON})
    assert (over_api.status_code, over_otlp.status_code) == (401, 401)
    return [over_api.json()["detail"], said(over_otlp)]


def over_grpc(served: Daemon, sent: dict[str, str]) -> str:
    with grpc.insecure_channel(served.grpc.removeprefix("http://")) as channel:
        export: Any = channel.unary_unary(EXPORT)
        with pytest.raises(grpc.RpcError) as refused:
            export(b"", timeout=5, metadata=tuple(sent.items()))
    error: Any = refused.value
    assert error.code() is grpc.StatusCode.UNAUTHENTICATED
    return str(error.details())


@pytest.mark.parametrize(("header", "sentence"), NO_TOKEN)
def test_a_malformed_authorization_is_named_at_every_port_and_its_text_is_not(
    served: Daemon, header: str | None, sentence: str
) -> None:
    sent = {} if header is None else {"authorization": header}
    for told in (*over_http(served, sent), over_grpc(served, sent)):
        assert told.startswith(sentence)
        assert SECRET not in told


def test_an_encoded_space_is_taken_from_exporters_and_named_to_a_client_of_the_api(served: Daemon) -> None:
    """Some exporters do not decode the value of OTEL_EXPORTER_OTLP_HEADERS, where the space must be encoded."""
    sent = {"authorization": f"Bearer%20{SECRET}"}
    over_otlp = served.http.post(f"{served.otlp}/v1/traces", content=b"{}", headers={**sent, "content-type": JSON})
    assert over_otlp.status_code == 200
    with grpc.insecure_channel(served.grpc.removeprefix("http://")) as channel:
        export: Any = channel.unary_unary(EXPORT)
        assert export(b"", timeout=5, metadata=tuple(sent.items())) == b""
    over_api = served.http.get(f"{served.api}/api/v1/whoami", headers=sent)
    assert over_api.status_code == 401
    assert over_api.json()["detail"].startswith("the Authorization header contains %20 instead of a space")
    assert SECRET not in over_api.text


@pytest.mark.parametrize(("header", "sentence"), UNKNOWN)
def test_a_token_that_is_malformed_counts_as_unknown_and_is_named(served: Daemon, header: str, sentence: str) -> None:
    """An address may fail ten times at once: two ports, four headers."""
    for told in over_http(served, {"authorization": header}):
        assert told.startswith(sentence)
        assert SECRET not in told


def test_a_call_days_ahead_of_the_clock_is_stored_marked_counted_and_shown(
    served: Daemon, capsys: pytest.CaptureFixture[str]
) -> None:
    ahead, right = timedelta(days=3), timedelta(hours=3)
    for trace, by in ((31, ahead), (32, right)):
        sent = request(trace, at=datetime.now(UTC) + by).SerializeToString()
        assert send(served, sent, PROTOBUF).status_code == 200
    late = native(id="native-ahead", deployment="support-bot", started_at=(datetime.now(UTC) + ahead).isoformat())
    served.http.post(f"{served.api}/api/v1/interactions", json=late, headers=GOOD).raise_for_status()
    rows = stored(served)
    assert rows[f"{31:032x}"]["clock_ahead_s"] == pytest.approx(ahead.total_seconds(), abs=60)
    assert rows["native-ahead"]["clock_ahead_s"] == pytest.approx(ahead.total_seconds(), abs=60)
    assert rows[f"{32:032x}"]["clock_ahead_s"] is None
    metrics = served.http.get(f"{served.api}/metrics", headers=GOOD).text
    assert "driftd_ingest_clock_ahead_total 2.0" in metrics
    (token := served.folder / "token").write_text(SECRET)
    with pytest.raises(SystemExit):
        main(["db", "info", "--url", served.api, "--token-file", str(token)])
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("calls of support-bot")]
    assert line.endswith("; 2 with a clock more than one day ahead")
    assert " in the last minute, " in line
