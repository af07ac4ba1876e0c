"""The telemetry of the daemon over nights with a regression: what Prometheus scrapes and what a Collector receives."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from monitor.ingest.counts import IngestCounts
from monitor.store.runs import runs
from monitor.telemetry.instruments import Telemetry
from monitor.telemetry.metrics import METRICS
from monitor.telemetry.spans import BY_NAME, ERROR_TYPE
from tests.app.house import DEPLOYMENT, FROZEN, SETTLE_S, House, daemon
from tests.ports import free_port
from tests.telemetry.collector import Collector, attributes_of, collector

NIGHT = datetime(2026, 3, 2, 2, 0, tzinfo=UTC)
CASES = 40
ASKED = 2 * (CASES + CASES // 10)  # in two nights, each of which repeats a tenth of its cases
# Without a lake, a topic, an Alertmanager, a judge, results of other tools (tests/cli/test_results_daemon.py), TLS, and
# without a budget and a backup (test_health_gauges.py).
OTHERS = (
    "driftd.backup.",
    "driftd.budget.",
    "driftd.judge.",
    "driftd.kafka.",
    "driftd.notification.repetitions",
    "driftd.replay.slices",
    "driftd.results.",
    "driftd.sentinel.",
    "driftd.tls.",
)
EXPECTED = [metric for metric in METRICS if not metric.name.startswith(OTHERS)]
UNDELIVERED = "driftd.notification.undelivered"
TRAFFIC = "Do you sell gift cards for the Leipzig shop?"


def pass_the(house: House, instant: datetime) -> None:
    house.clock.advance_to(instant)
    house.app.wake_schedule()
    house.app.settle(SETTLE_S)


def send_spans(house: House) -> bytes:
    """Send a call with an unread value, and a database span, in one request each. Return the span id of the call."""
    exporter = OTLPSpanExporter(endpoint=f"{house.app.addresses['ingest.otlp']}/v1/traces")
    provider = TracerProvider(resource=Resource({"service.name": DEPLOYMENT}))
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    message = json.dumps([{"role": "user", "parts": [{"type": "text", "content": TRAFFIC}]}])
    call = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-4", "gen_ai.input.messages": message}
    tracer = provider.get_tracer("product")
    span = tracer.start_span("chat gpt-4", attributes=call | {"gen_ai.request.max_tokens": -1})
    span.end()
    tracer.start_span("SELECT", attributes={"db.system": "sqlite"}).end()
    provider.shutdown()
    return span.get_span_context().span_id.to_bytes(8)


def run_id_of(span: Span) -> str:
    return str(attributes_of(span)["driftd.run_id"])


def send_records(house: House) -> None:
    """Send the same record twice, and an invalid one. The record has a user turn after an answer."""
    body = {"id": "call-1", "deployment": DEPLOYMENT, "started_at": "2026-03-01T12:00:00Z", "duration_ms": 3}
    turns = (("user", "Is it in stock?"), ("assistant", "Yes."), ("user", "No, that is wrong, it is sold out."))
    messages = [{"role": role, "content": content} for role, content in turns]
    record = {**body, "request": {"model": "gpt-4", "messages": messages}, "response": {"messages": []}}
    house.api.post("/api/v1/interactions", json=[record, {"id": 7}]).raise_for_status()
    house.api.post("/api/v1/interactions", json=record).raise_for_status()


def refuse_something(house: House) -> None:
    address = house.app.addresses["ingest.otlp"]
    answer = httpx.post(f"{address}/v1/traces", content=b"\xff\xff", headers={"content-type": "application/x-protobuf"})
    assert answer.status_code == httpx.codes.BAD_REQUEST


def live_through_a_regression(house: House) -> bytes:
    """Send traffic and pass two nights with a change. Return the span id of the call in the traffic."""
    house.import_primes(CASES)
    call_span_id = send_spans(house)
    send_records(house)
    refuse_something(house)
    pass_the(house, NIGHT)
    house.serve("gpt-4-0613")
    pass_the(house, NIGHT + timedelta(days=1))
    return call_span_id


def scrape(house: House) -> dict[str, Metric]:
    answer = house.api.get("/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    return {family.name: family for family in text_string_to_metric_families(answer.text)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Night:
    """The telemetry after the daemon has stopped."""

    shown: dict[str, Metric]
    sent: Collector
    questions: list[str]
    answers: list[str]
    alert_id: str
    texts: str  # of /metrics
    pass_rates: tuple[float, float]  # of the two runs, as the API has them
    trace_prefixes: dict[str, str]  # by run
    call_span_id: bytes  # of the only call that came as a span

    def value(self, name: str, **labels: str) -> float:
        samples = [sample for family in self.shown.values() for sample in family.samples if sample.name == name]
        return next(sample.value for sample in samples if labels.items() <= sample.labels.items())


def texts_of(house: House) -> tuple[list[str], list[str]]:
    asked = house.data.questions[:CASES]
    return [q.question for q in asked], [text.text for q in asked for texts in q.answers.values() for text in texts]


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Night]:
    with collector() as endpoint:
        telemetry = {"otlp_endpoint": endpoint.address}
        with daemon(tmp_path_factory.mktemp("night"), telemetry=telemetry) as house:
            call_span_id = live_through_a_regression(house)
            questions, answers = texts_of(house)
            shown, text = scrape(house), house.api.get("/metrics").text
            (alert,) = (row for row in house.listed("alerts") if row["set_name"] is not None)
            listed = house.listed("runs")
            newest, before = (run["pass_rate"] for run in listed)
            with house.app.store.read() as tx:
                stored = [runs.get(tx, run["id"]) for run in listed]
        yield Night(
            shown=shown,
            sent=endpoint,
            questions=questions,
            answers=answers,
            alert_id=alert["id"],
            texts=text,
            pass_rates=(before, newest),
            trace_prefixes={run.id: run.trace_prefix for run in stored if run is not None},
            call_span_id=call_span_id,
        )


def test_prometheus_reads_every_declared_metric_and_nothing_else(night: Night) -> None:
    declared = {metric.prometheus_name.removesuffix("_total"): metric for metric in EXPECTED}
    assert {name: family.type for name, family in night.shown.items() if name != "target_info"} == {
        name: metric.kind for name, metric in declared.items()
    }
    for name, metric in declared.items():
        labels = {label for sample in night.shown[name].samples for label in sample.labels} - {"le"}
        assert labels == set(metric.labels), name


def test_what_came_in_is_counted(night: Night) -> None:
    assert night.value("driftd_ingest_accepted_total") == 2  # a span and a record
    assert night.value("driftd_ingest_duplicates_total") == 1
    assert night.value("driftd_ingest_unread_total", attribute="gen_ai.request.max_tokens") == 1
    assert night.value("driftd_ingest_dead_letters_total", source="http", code="malformed") == 1
    assert night.value("driftd_ingest_skipped_total", signal="traces") == 1
    assert night.value("driftd_ingest_refused_total", transport="otlp", code="malformed") == 1
    assert night.value("driftd_ingest_receipt_duration_seconds_count") == night.value(
        "driftd_ingest_batches_total", result="committed"
    )
    assert night.value("driftd_intake_capacity") == 20_000
    assert night.value("driftd_intake_rows") == 0


def test_what_a_replay_costs_and_gives_is_counted(night: Night) -> None:
    here = {"deployment": DEPLOYMENT}
    assert night.value("driftd_replay_calls_total", **here, result="answered") == ASKED
    assert night.value("driftd_replay_call_duration_seconds_count", **here) == ASKED
    assert night.value("driftd_replay_tokens_total", **here, direction="output") > 0
    assert night.value("driftd_replay_cost_usd_total", **here) > 0
    outcomes = [night.value("driftd_replay_outcomes_total", **here, result=one) for one in ("passed", "failed")]
    assert sum(outcomes) == ASKED
    assert night.value("driftd_replay_runs_total", **here, state="complete") == 2
    assert night.value("driftd_schedule_lateness_seconds_count") == 2


def test_what_was_concluded_and_who_was_reported_is_counted(night: Night) -> None:
    here = {"deployment": DEPLOYMENT}
    assert night.value("driftd_findings_total", **here, verdict="regression") == 1
    assert night.value("driftd_alerts_open", **here, state="firing", severity="critical") == 1
    assert night.value("driftd_alerts_open", **here, state="firing", severity="warning") == 0
    assert night.value("driftd_alerts_open", **here, state="pending", severity="critical") == 0
    assert night.value("driftd_notification_deliveries_total", kind="console", state="sent") == 1
    assert night.value("driftd_notification_deliveries_total", kind="webhook", state="retrying") >= 1
    assert night.value("driftd_traffic_reports_total", **here, state="insufficient") == 1
    assert night.value("driftd_store_size_bytes") > 0
    assert 0 < night.value("driftd_disk_free_bytes") < night.value("driftd_disk_size_bytes")
    assert night.value("driftd_store_write_refused_seconds") == 0


def test_the_progress_of_every_loop_is_a_gauge(night: Night) -> None:
    assert 0 <= night.value("driftd_loop_success_age_seconds", loop="checks") < 60
    assert night.value("driftd_loop_overdue_seconds", loop="retention") == 0  # its pause is a minute
    assert night.value("driftd_intake_oldest_age_seconds") == 0
    assert night.value("driftd_schedule_overdue_seconds", schedule="nightly", deployment=DEPLOYMENT) == 0


def test_counters_of_failures_are_zero_before_the_first_one(night: Night) -> None:
    assert night.value("driftd_ingest_batches_total", result="failed") == 0
    assert night.value("driftd_replay_runs_total", deployment=DEPLOYMENT, state="failed") == 0
    assert night.value("driftd_notification_deliveries_total", kind="webhook", state="refused") == 0


def test_what_a_dashboard_shows_of_the_product_is_a_gauge(night: Night) -> None:
    here = {"deployment": DEPLOYMENT, "set": FROZEN, "kind": "frozen"}
    before, newest = night.pass_rates
    assert night.value("driftd_set_pass_rate", **here) == newest < before
    assert 0 <= night.value("driftd_set_verdict_age_seconds", **here) < 60
    assert night.value("driftd_production_correction_rate", deployment=DEPLOYMENT) == 0


def test_what_no_receiver_has_is_a_gauge(night: Night) -> None:
    assert night.value("driftd_notification_undelivered", receiver="pager") == 1
    assert night.value("driftd_notification_undelivered_age_seconds", receiver="pager") > 0
    assert night.value("driftd_notification_undelivered", receiver="console") == 0
    assert night.value("driftd_notification_undelivered_age_seconds", receiver="console") == 0


def test_a_request_is_one_trace_and_the_group_commit_links_to_it(night: Night) -> None:
    requests = night.sent.named("ingest.receive")
    assert sorted(attributes_of(span)["driftd.signal"] for span in requests) == ["interaction"] * 2 + ["traces"] * 3
    stored = next(s for s in requests if attributes_of(s).get("driftd.rows") == 2)
    assert night.sent.trace_of(stored) == ["ingest.receive", "ingest.decode", "ingest.await_commit"]
    linked = {link.span_id for commit in night.sent.named("ingest.group_commit") for link in commit.links}
    with_rows = {s.span_id for s in requests if attributes_of(s).get("driftd.rows")}
    assert linked == with_rows | {night.call_span_id}  # the call is in the trace of the product


def test_a_refused_request_reports_it_in_its_trace(night: Night) -> None:
    (refused,) = [span for span in night.sent.named("ingest.receive") if span.status.code == 2]
    assert attributes_of(refused)["error.type"] == "MalformedRecord"
    assert refused.status.message == ""


def test_a_replay_is_one_trace_of_its_phases_and_no_span_is_a_case(night: Night) -> None:
    first, second = sorted(night.sent.named("replay.run"), key=lambda span: span.start_time_unix_nano)
    phases = ["replay.run", "replay.load", "replay.execute", "replay.finish"]
    assert night.sent.trace_of(first) == night.sent.trace_of(second) == phases
    told = attributes_of(first)
    assert told["driftd.trace_prefix"] == night.trace_prefixes[told["driftd.run_id"]]
    assert told["driftd.deployment"] == DEPLOYMENT
    assert (told["driftd.outcomes"], told["driftd.scored"]) == (ASKED // 2, ASKED // 2)
    assert told["driftd.cost_usd"] > 0
    assert told["driftd.state"] == "complete"


def test_an_alert_is_one_trace_from_the_finding_to_the_deliveries(night: Night) -> None:
    (finding,) = [s for s in night.sent.named("alert.finding") if attributes_of(s)["driftd.verdict"] == "regression"]
    assert finding.parent_span_id == b""
    names = night.sent.trace_of(finding)
    assert names[:2] == ["alert.finding", "alert.advance"]
    assert set(names[2:]) == {"alert.notify"}  # one of the console, and each attempt of the webhook
    (run,) = (s for s in night.sent.named("replay.run") if run_id_of(s) == run_id_of(finding))
    assert [(link.trace_id, link.span_id) for link in finding.links] == [(run.trace_id, run.span_id)]
    own = [span for span in night.sent.spans if span.trace_id == finding.trace_id and span is not finding]
    assert {run_id_of(span) for span in own} == {run_id_of(finding)}
    assert {attributes_of(span)["driftd.finding_id"] for span in own} == {attributes_of(finding)["driftd.finding_id"]}
    assert {link.span_id for span in own if span.name == "alert.notify" for link in span.links} == {run.span_id}
    assert {span.parent_span_id for span in own} == {finding.span_id}
    assert {attributes_of(span)["driftd.alert_id"] for span in own} == {night.alert_id}
    notified = {attributes_of(s)["driftd.receiver_kind"]: attributes_of(s)["driftd.state"] for s in own[1:]}
    assert notified == {"console": "sent", "webhook": "retrying"}


def test_the_collector_gets_every_metric_too(night: Night) -> None:
    # it is closed before the last export
    of_the_store = (
        "driftd.alerts.open",
        "driftd.feedback.unlinked",
        "driftd.production.",
        "driftd.set.",
        "driftd.schedule.last",
        "driftd.schedule.overdue",
        UNDELIVERED,
    )
    assert set(night.sent.metrics) >= {m.name for m in EXPECTED if not m.name.startswith(of_the_store)}
    assert night.sent.resources[0]["service.name"] == "driftd"


def test_spans_carry_what_is_declared_for_them_and_nothing_more(night: Night) -> None:
    assert night.sent.spans
    for span in night.sent.spans:
        assert set(attributes_of(span)) <= {*BY_NAME[span.name].attributes, ERROR_TYPE}, span.name
        assert list(span.events) == []


def test_no_text_leaves_the_house_with_telemetry(night: Night) -> None:
    exported = b"\n".join([*night.sent.bodies, night.texts.encode()])
    texts = [text for text in (*night.questions, *night.answers, TRAFFIC) if len(text) > 15]
    assert len(texts) > 80
    assert [text for text in texts if text.encode() in exported] == []
    assert DEPLOYMENT.encode() in exported  # the search is able to find something


def test_a_daemon_pointed_at_itself_is_no_traffic_of_its_own(tmp_path: Path) -> None:
    port = free_port()
    settings: dict[str, Any] = {
        "telemetry": {"otlp_endpoint": f"http://127.0.0.1:{port}"},
        "ingest": {"otlp": {"port": port}, "otlp_grpc": {"port": 0}},
    }
    with daemon(tmp_path, **settings) as house:
        live_through_a_regression(house)
        counts = house.app._telemetry
        assert isinstance(counts, IngestCounts)
        telemetry = counts._telemetry
        assert isinstance(telemetry, Telemetry)
        traces = telemetry._traces
        assert traces is not None
        assert traces.force_flush()
        assert traces.force_flush()  # and what came of the first, had the exports been traced as well
        shown = scrape(house)
        models = {item["response_model"] for item in house.listed("interactions")}
        seen, status = len(house.listed("interactions")), house.api.get("/api/v1/status").json()
    own = next(s.value for s in shown["driftd_ingest_skipped"].samples if s.labels["signal"] == "traces")
    assert own > 20
    assert (seen, status["dead_letters"], models) == (2, 1, {None})


def test_an_endpoint_that_is_down_changes_nothing_but_a_counter(tmp_path: Path) -> None:
    with daemon(tmp_path, telemetry={"otlp_endpoint": f"http://127.0.0.1:{free_port()}"}) as house:
        live_through_a_regression(house)
        (alert,) = (row for row in house.listed("alerts") if row["set_name"] is not None)
    assert alert["state"] == "firing"
