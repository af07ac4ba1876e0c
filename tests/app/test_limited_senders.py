"""Records of a sender that is limited to one deployment, over every port of a daemon with two deployments.

Rows that arrive apart from each other are joined by ids that the sender chooses. The ids of the other deployment must
give the sender nothing, and must change nothing there. Each test also shows that the same request has an effect within
the own deployment, or from a sender without a limit.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from uuid import uuid4

import grpc
import httpx
import pytest
from google.protobuf.message import Message  # type: ignore[import-untyped]  # protobuf ships no types
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from monitor.cli.demo.settings import DYNAMIC
from monitor.config.section import sha256_hex
from tests.api.routes.test_results import tar_of
from tests.app.house import DEPLOYMENT, START, House, daemon
from tests.asgi_server import serving
from tests.guards.oidc.provider import KEY, signed, valid_claims
from tests.ingest.results.build import lm_eval
from tests.ingest.transports import METHODS

MINE, THEIRS = "shop", DEPLOYMENT  # records without a deployment are of THEIRS, the first of the configuration
ROOT, LIMITED = "the-token-of-everything", "the-token-of-the-shop"
ROLES = ["ingest", "read", "review", "operate"]
SETTLE_S = 120.0
USER, TOKEN = "a user of a group", "an API token"
HTTP, GRPC = "OTLP/HTTP", "OTLP/gRPC"
SESSION, WORD = "session.id", "gen_ai.conversation.id"


def provider() -> Starlette:
    def settings(request: Request) -> JSONResponse:
        issuer = str(request.base_url).rstrip("/")
        return JSONResponse({"issuer": issuer, "jwks_uri": f"{issuer}/jwks"})

    keys = {"keys": [KEY.as_dict(private=False)]}
    paths = {"/.well-known/openid-configuration": settings, "/jwks": lambda _request: JSONResponse(keys)}
    return Starlette(routes=[Route(path, answer) for path, answer in paths.items()])


@dataclass(frozen=True, slots=True, kw_only=True)
class Senders:
    """A daemon, and the credentials of its senders by name."""

    house: House
    texts: dict[str, str]

    def ask(self, method: str, path: str, who: str, *, port: str | None = None, **options: Any) -> httpx.Response:
        url = path if port is None else f"{self.house.app.addresses[port]}{path}"
        return self.house.api.request(method, url, headers=self._bearer(who), **options)

    def post(self, path: str, body: object, who: str) -> httpx.Response:
        return self.ask("POST", f"/api/v1/{path}", who, json=body)

    def items(self, path: str, who: str = ROOT, **params: str) -> list[dict[str, Any]]:
        found = self.ask("GET", f"/api/v1/{path}", who, params={"limit": "500", **params})
        return list(found.raise_for_status().json()["items"])

    def export(self, transport: str, message: Message, who: str) -> int | str:
        """Send an OTLP request, and return its status: 200 or OK when it is stored."""
        signal = "traces" if isinstance(message, ExportTraceServiceRequest) else "logs"
        body = message.SerializeToString()
        if transport == HTTP:
            headers = {**self._bearer(who), "content-type": "application/x-protobuf"}
            url = f"{self.house.app.addresses['ingest.otlp']}/v1/{signal}"
            return self.house.api.post(url, content=body, headers=headers).status_code
        where = self.house.app.addresses["ingest.otlp_grpc"].removeprefix("http://")
        with grpc.insecure_channel(where) as channel:
            call: Any = channel.unary_unary(METHODS[signal])
            try:
                call(body, timeout=60, metadata=(("authorization", f"Bearer {self.texts[who]}"),))
            except grpc.RpcError as error:
                refused: Any = error
                return str(refused.code().name)
        return "OK"

    def settle(self) -> None:
        self.house.app.settle(SETTLE_S)

    def call(self, trace_id: bytes, span_id: bytes) -> dict[str, Any]:
        found = self.ask("GET", f"/api/v1/interactions/{trace_id.hex()}:{span_id.hex()}", ROOT)
        return dict(found.raise_for_status().json()["interaction"])

    def _bearer(self, who: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.texts[who]}"}


@pytest.fixture(scope="module")
def senders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Senders]:
    """A daemon with two deployments, a token without a limit, and a token and a user that are limited to MINE."""
    with ExitStack() as stack:
        issuer = stack.enter_context(serving(provider()))
        until = int((START + timedelta(hours=8)).timestamp())
        texts = {ROOT: ROOT, TOKEN: LIMITED, USER: signed(valid_claims(iss=issuer, groups=["shop-team"], exp=until))}

        def access(section: dict[str, Any]) -> dict[str, Any]:
            everything = {"name": "root", "sha256": sha256_hex(ROOT), "roles": ["admin", "reveal"]}
            limited = {"name": "shop", "sha256": sha256_hex(LIMITED), "roles": ROLES, "deployments": [MINE]}
            groups = {"roles": {"shop-team": ROLES}, "deployments": {"shop-team": [MINE]}}
            oidc = {"issuer": issuer, "client_id": "driftd", **groups}
            return {**section, "tokens": [everything, limited], "oidc": oidc}

        house = stack.enter_context(
            daemon(
                tmp_path_factory.mktemp("limited"),
                api=access,
                deployments=lambda known: {**known, MINE: {**known[DEPLOYMENT], "sets": ["shop-set"]}},
                sets=lambda known: {**known, "shop-set": {"kind": "dynamic", "scorers": [{"kind": "exact"}]}},
            )
        )
        found = Senders(house=house, texts=texts)
        assert found.ask("GET", "/api/v1/whoami", USER).json()["deployments"] == [MINE]
        yield found


def new_trace() -> bytes:
    return uuid4().bytes


def new_span() -> bytes:
    return uuid4().bytes[:8]


def spans(
    deployment: str,
    *ids: tuple[bytes, bytes, bytes | None],
    call: bool = True,
    texts: str | None = None,
    **attributes: str,
) -> ExportTraceServiceRequest:
    """Return spans of a deployment from (trace id, span id, parent id)."""
    message = ExportTraceServiceRequest()
    resource = message.resource_spans.add()
    resource.resource.attributes.add(key="driftd.deployment").value.string_value = deployment
    scope = resource.scope_spans.add()
    now_ns = int(datetime.now(UTC).timestamp()) * 10**9 - (datetime.now(UTC) - START).days * 86_400 * 10**9
    for trace_id, span_id, parent_id in ids:
        span = scope.spans.add(
            trace_id=trace_id,
            span_id=span_id,
            parent_span_id=parent_id or b"",
            name="chat",
            start_time_unix_nano=now_ns,
            end_time_unix_nano=now_ns + 10**9,
        )
        named = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4"} if call else {}
        if texts is not None:
            part = '[{"role": "%s", "parts": [{"type": "text", "content": "%s"}]}]'
            named |= {
                "gen_ai.input.messages": part % ("user", texts),
                "gen_ai.output.messages": part % ("assistant", texts),
            }
        for key, value in (named | {key.replace("__", "."): value for key, value in attributes.items()}).items():
            span.attributes.add(key=key).value.string_value = value
    return message


def text_event(deployment: str, trace_id: bytes, span_id: bytes, text: str) -> ExportLogsServiceRequest:
    """Return a log event with the question of a call."""
    message = ExportLogsServiceRequest()
    resource = message.resource_logs.add()
    resource.resource.attributes.add(key="driftd.deployment").value.string_value = deployment
    record = resource.scope_logs.add().log_records.add(trace_id=trace_id, span_id=span_id)
    record.event_name = "gen_ai.user.message"
    record.body.kvlist_value.values.add(key="content").value.string_value = text
    return message


@pytest.fixture(params=[TOKEN, USER])
def limited(request: pytest.FixtureRequest) -> str:
    """A sender that is limited to MINE."""
    return str(request.param)


@pytest.fixture(params=[HTTP, GRPC])
def transport(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_calls_of_another_deployment_are_refused(senders: Senders, transport: str, limited: str) -> None:
    stored, refused = (200, 403) if transport == HTTP else ("OK", "PERMISSION_DENIED")
    trace, own, other = new_trace(), new_span(), new_span()
    assert senders.export(transport, spans(THEIRS, (trace, other, None)), limited) == refused
    assert senders.export(transport, spans(MINE, (trace, own, None)), limited) == stored
    senders.settle()
    of_trace = [item["id"] for item in senders.items("interactions") if item["trace_id"] == trace.hex()]
    assert of_trace == [f"{trace.hex()}:{own.hex()}"]


def test_late_texts_reach_only_calls_of_the_deployments_of_their_sender(
    senders: Senders, transport: str, limited: str
) -> None:
    trace, own, other, late = new_trace(), new_span(), new_span(), new_span()
    senders.export(transport, spans(THEIRS, (trace, other, None)), ROOT)
    senders.export(transport, spans(MINE, (trace, own, None)), ROOT)
    for span_id in (own, other, late):
        assert senders.export(transport, text_event(MINE, trace, span_id, "Is 9 a prime?"), limited) in {200, "OK"}
    senders.export(transport, spans(THEIRS, (trace, late, None)), ROOT)  # the texts wait for this call
    senders.settle()
    texts = [senders.call(trace, span_id)["input_text"] for span_id in (own, other, late)]
    assert texts == ["Is 9 a prime?", "", ""]
    senders.export(transport, text_event(THEIRS, trace, other, "Is 7 a prime?"), ROOT)
    senders.settle()
    assert senders.call(trace, other)["input_text"] == "Is 7 a prime?"


def test_a_span_gives_its_session_only_to_calls_of_the_deployments_of_its_sender(
    senders: Senders, transport: str, limited: str
) -> None:
    trace, root, own, other = new_trace(), new_span(), new_span(), new_span()
    senders.export(transport, spans(THEIRS, (trace, other, root)), ROOT)
    senders.export(transport, spans(MINE, (trace, own, root)), ROOT)
    senders.export(transport, spans(MINE, (trace, root, None), call=False, session__id="s-mine"), limited)
    senders.settle()
    sessions = [senders.call(trace, span_id)["conversation_id"] for span_id in (own, other)]
    assert sessions == ["s-mine", None]


def test_a_call_of_a_limited_sender_inherits_nothing_from_other_deployments(
    senders: Senders, transport: str, limited: str
) -> None:
    trace, root, forged, own = new_trace(), new_span(), new_span(), new_span()
    senders.export(transport, spans(THEIRS, (trace, root, None), call=False, session__id="s-theirs"), ROOT)
    senders.export(transport, spans(MINE, (trace, forged, root)), limited)
    senders.export(transport, spans(MINE, (trace, own, root)), ROOT)
    senders.settle()
    sessions = [senders.call(trace, span_id)["conversation_id"] for span_id in (forged, own)]
    assert sessions == [None, "s-theirs"]


def test_span_links_of_a_limited_sender_merge_no_calls_of_another_deployment(
    senders: Senders, transport: str, limited: str
) -> None:
    def reports(deployment: str, between: str) -> list[str | None]:
        trace, outer, middle, inner = new_trace(), new_span(), new_span(), new_span()
        senders.export(transport, spans(deployment, (trace, outer, None), texts=trace.hex()), ROOT)
        senders.export(transport, spans(deployment, (trace, inner, middle), texts=trace.hex()), ROOT)
        senders.export(transport, spans(MINE, (trace, middle, outer), call=False), between)
        senders.settle()
        return [senders.call(trace, span_id)["duplicate_of"] for span_id in (outer, inner)]

    assert reports(THEIRS, limited) == [None, None]
    assert reports(MINE, limited)[0] is not None
    assert reports(THEIRS, ROOT)[0] is not None


def test_feedback_is_linked_only_to_calls_of_the_deployments_of_its_sender(senders: Senders, limited: str) -> None:
    ids = {deployment: f"{deployment}-{uuid4()}" for deployment in (MINE, THEIRS)}
    calls = [{"id": id_, "deployment": name, "conversation_id": f"c-{id_}"} for name, id_ in ids.items()]
    at = {"started_at": START.isoformat(), "duration_ms": 3}
    assert senders.post("interactions", [call | at for call in calls], ROOT).status_code == 200
    signals = [
        {"id": f"{key}-{id_}", "deployment": MINE, "at": START.isoformat(), "kind": "thumb", "value": -1, key: value}
        for id_ in ids.values()
        for key, value in (("interaction_id", id_), ("conversation_id", f"c-{id_}"))
    ]
    answer = senders.post("feedback", signals, limited)
    assert answer.json() == {"accepted": 4, "duplicates": 0, "rejected": []}  # as for ids that are unknown
    assert senders.post("feedback", [signals[0] | {"id": "x", "deployment": THEIRS}], limited).status_code == 403
    senders.settle()
    linked = {item["id"]: item["linked_interaction_id"] for item in senders.items("feedback")}
    assert [linked[signal["id"]] for signal in signals] == [ids[MINE], ids[MINE], None, None]
    of_theirs = {item["id"] for item in senders.items("feedback", deployment=THEIRS)}
    assert not of_theirs & {signal["id"] for signal in signals}


def test_feedback_of_another_deployment_is_neither_withdrawn_nor_revised_nor_read(
    senders: Senders, limited: str
) -> None:
    def send(who: str, id_: str, score: float) -> httpx.Response:
        body = {"id": id_, "run_id": str(uuid4()), "key": "quality", "score": score}
        return senders.ask("POST", "/feedback", who, port="ingest.otlp", json=body)

    def score_of(id_: str) -> float | None:
        found = senders.ask("GET", f"/feedback/{id_}", ROOT, port="ingest.otlp")
        return None if found.status_code == 404 else float(found.raise_for_status().json()["score"])

    theirs, mine = str(uuid4()), str(uuid4())
    assert send(ROOT, theirs, 0.25).status_code == 200
    assert send(limited, mine, 0.5).status_code == 200  # it names no deployment, and gets that of its sender
    path = f"/feedback/{theirs}"
    assert senders.ask("GET", path, limited, port="ingest.otlp").status_code == 404
    assert senders.ask("PATCH", path, limited, port="ingest.otlp", json={"score": 1.0}).status_code == 404
    send(limited, theirs, 1.0)
    senders.ask("DELETE", path, limited, port="ingest.otlp")
    assert (score_of(theirs), score_of(mine)) == (0.25, 0.5)
    send(limited, mine, 0.75)
    assert score_of(mine) == 0.75
    senders.ask("DELETE", f"/feedback/{mine}", limited, port="ingest.otlp")
    assert score_of(mine) is None
    senders.ask("DELETE", path, ROOT, port="ingest.otlp")
    assert score_of(theirs) is None


def send_results(senders: Senders, who: str, deployment: str, set_name: str | None, task: str) -> httpx.Response:
    """Send results of lm-evaluation-harness for a task, whose name is that of the set unless `set_name` is given."""
    with TemporaryDirectory() as folder:
        lm_eval(Path(folder), str(uuid4()), 1.0, 0.0)
        body = tar_of(
            **{
                each.name.replace("arith", task): each.read_text().replace("arith", task)
                for each in Path(folder).iterdir()
            }
        )
    query = {"deployment": deployment, "filename": "results.tar"} | ({} if set_name is None else {"set": set_name})
    headers = {"authorization": f"Bearer {senders.texts[who]}", "content-type": "application/x-tar"}
    return senders.house.api.post("/api/v1/results", params=query, content=body, headers=headers)


def test_results_of_another_deployment_or_set_are_refused(senders: Senders, limited: str) -> None:
    refused = [
        send_results(senders, limited, THEIRS, None, "t"),
        send_results(senders, limited, MINE, DYNAMIC, "t"),
    ]
    assert [answer.status_code for answer in refused] == [403, 403]
    assert f"'{THEIRS}' is outside the limit" in refused[0].json()["detail"]
    assert f"eval set '{DYNAMIC}' is not only for the deployments of this token" in refused[1].json()["detail"]
    unknown = send_results(senders, limited, MINE, "not-configured", "t").json()["detail"]
    assert unknown == refused[1].json()["detail"].replace(DYNAMIC, "not-configured")
    assert send_results(senders, limited, MINE, "shop-set", "t").status_code == 202


def test_a_set_that_only_the_file_names_is_checked_by_the_import(senders: Senders, limited: str) -> None:
    sent = {
        task: send_results(senders, limited, MINE, None, task).json()["id"] for task in (DYNAMIC, "t-1", "shop-set")
    }
    unlimited = send_results(senders, ROOT, MINE, None, "t-2").json()["id"]
    senders.settle()
    ended = {item["id"]: item for item in senders.items("results/imports")}
    assert [(ended[sent[task]]["state"], ended[sent[task]]["code"]) for task in (DYNAMIC, "t-1")] == [
        ("failed", "forbidden")
    ] * 2
    assert f"eval set '{DYNAMIC}' is not only for the deployments of this token" in ended[sent[DYNAMIC]]["error"]
    assert [ended[each]["state"] for each in (sent["shop-set"], unlimited)] == ["complete", "complete"]
    runs = {(item["deployment"], item["set_name"]) for item in senders.items("runs")}
    assert not runs & {(MINE, DYNAMIC), (MINE, "t-1")}


def test_a_silence_is_made_seen_and_ended_only_for_the_own_deployment(senders: Senders, limited: str) -> None:
    ends_at = {"comment": "move", "ends_at": (START + timedelta(days=1)).isoformat()}
    theirs = senders.post("silences", ends_at | {"matchers": [f"deployment={THEIRS}"]}, ROOT).json()
    everything = senders.post("silences", ends_at | {"matchers": ["severity=warning"]}, ROOT).json()
    mine = senders.post("silences", ends_at | {"matchers": [f"deployment={MINE}"]}, limited).json()
    for matchers in (
        [f"deployment={THEIRS}"],
        ["severity=warning"],
        [f"deployment=~{MINE}.*"],
        [f"deployment!={THEIRS}"],
    ):
        assert senders.post("silences", ends_at | {"matchers": matchers}, limited).status_code == 403, matchers
    seen = {item["id"] for item in senders.items("silences", limited)}
    assert mine["id"] in seen
    assert not seen & {theirs["id"], everything["id"]}
    for each, status in ((theirs, 404), (everything, 404), (mine, 200)):
        assert senders.post(f"silences/{each['id']}/expire", {}, limited).status_code == status
