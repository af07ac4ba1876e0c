"""Export over real HTTP: the content of the exports, and the effect of an unavailable endpoint."""

import logging
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from monitor.telemetry import OWN, OWN_HEADER, current_span_context
from monitor.telemetry.instruments import Telemetry
from monitor.telemetry.otlp import OtlpExport
from tests.telemetry.collector import Collector, attributes_of, collector

NEVER_S = 3600.0  # nothing is exported before the end unless a test sets an interval


@pytest.fixture
def endpoint() -> Iterator[Collector]:
    with collector() as one:
        yield one


def telemetry_to(address: str, **settings: Any) -> Telemetry:
    settings = {"interval_s": NEVER_S, "span_delay_s": NEVER_S, "timeout_s": 1.0} | settings
    return Telemetry(version="9.9", export=OtlpExport(endpoint=address, **settings))


def test_spans_and_metrics_arrive_with_name_version_and_headers(endpoint: Collector) -> None:
    telemetry = telemetry_to(endpoint.address + "/", headers={"authorization": "Bearer of-the-collector"})
    with telemetry.span("ingest.receive", {"driftd.signal": "traces"}), telemetry.span("ingest.decode"):
        telemetry.count("driftd.ingest.accepted", 3)
    telemetry.close()
    root, child = endpoint.named("ingest.receive")[0], endpoint.named("ingest.decode")[0]
    assert (child.trace_id, child.parent_span_id) == (root.trace_id, root.span_id)
    assert attributes_of(root) == {"driftd.signal": "traces"}
    assert endpoint.metrics["driftd.ingest.accepted"].sum.data_points[0].as_int == 3
    assert {(one["service.name"], one["service.version"]) for one in endpoint.resources} == {("driftd", "9.9")}
    assert {headers["authorization"] for headers in endpoint.headers} == {"Bearer of-the-collector"}


def test_metrics_are_sent_while_the_daemon_runs(endpoint: Collector) -> None:
    telemetry = telemetry_to(endpoint.address, interval_s=0.05)
    endpoint.wait_for(lambda one: "driftd.ingest.accepted" in one.metrics)
    telemetry.close()


def test_a_failed_span_has_the_class_of_the_error_and_not_its_message(endpoint: Collector) -> None:
    telemetry = telemetry_to(endpoint.address)
    with pytest.raises(ValueError, match="a sealed sentence"), telemetry.span("replay.execute"):
        raise ValueError("a sealed sentence")
    telemetry.close()
    (span,) = endpoint.spans
    assert attributes_of(span) == {"error.type": "ValueError"}
    assert (span.status.code, span.status.message, list(span.events)) == (2, "", [])
    assert not [body for body in endpoint.bodies if b"sealed sentence" in body]


def test_spans_of_one_finding_are_one_trace_across_restarts(endpoint: Collector) -> None:
    first = telemetry_to(endpoint.address)
    with first.span("alert.finding", starts_trace="finding-1"):
        pass
    first.close()
    later = telemetry_to(endpoint.address)
    with later.span("alert.advance", in_trace="finding-1"):
        pass
    with later.span("alert.advance", in_trace="finding-2"):
        pass
    later.close()
    root, (same, other) = endpoint.named("alert.finding")[0], endpoint.named("alert.advance")
    assert root.parent_span_id == b""
    assert (same.trace_id, same.parent_span_id) == (root.trace_id, root.span_id)
    assert other.trace_id != root.trace_id


def test_a_span_that_starts_a_trace_is_always_a_root(endpoint: Collector) -> None:
    telemetry = telemetry_to(endpoint.address)
    with telemetry.span("replay.run"), telemetry.span("alert.finding", starts_trace="finding-1"):
        pass
    telemetry.close()
    assert endpoint.named("alert.finding")[0].parent_span_id == b""
    assert endpoint.named("alert.finding")[0].trace_id != endpoint.named("replay.run")[0].trace_id


def test_only_ingest_requests_are_sampled(endpoint: Collector) -> None:
    telemetry = telemetry_to(endpoint.address, ingest_sample_ratio=0.0)
    with telemetry.span("ingest.receive"), telemetry.span("ingest.decode"):
        assert not current_span_context().trace_flags.sampled
    with telemetry.span("replay.run"), telemetry.span("replay.execute"):
        pass
    telemetry.close()
    assert {span.name for span in endpoint.spans} == {"replay.run", "replay.execute"}


def test_a_request_with_own_telemetry_is_not_traced(endpoint: Collector) -> None:
    telemetry = telemetry_to(endpoint.address)
    with telemetry.span("ingest.receive", {OWN: True}), telemetry.span("ingest.decode"):
        pass
    telemetry.close()
    assert endpoint.spans == []
    assert all(OWN_HEADER in headers for headers in endpoint.headers)


def test_without_an_endpoint_no_span_is_created() -> None:
    telemetry = Telemetry()
    with telemetry.span("ingest.receive") as span:
        assert not span.is_recording()
        assert not current_span_context().is_valid
    telemetry.close()


def test_failed_exports_are_counted_and_logged_once(endpoint: Collector, caplog: pytest.LogCaptureFixture) -> None:
    endpoint.status = 400
    telemetry = telemetry_to(endpoint.address, span_delay_s=0.01, interval_s=0.02)
    with caplog.at_level(logging.INFO):
        with telemetry.span("replay.run"):
            pass
        endpoint.wait_for(lambda one: one.requests >= 8)
        endpoint.status = 200
        endpoint.wait_for(lambda one: bool(one.metrics))
        telemetry.close()
    assert failures_of_metrics(endpoint) >= 2
    messages = [
        r.message for r in caplog.records if r.name == "monitor.telemetry.otlp" and r.message.startswith("metrics")
    ]
    assert [line.split(" ")[1:3] for line in messages] == [["cannot", "be"], ["are", "exported"]]
    assert "of-the-collector" not in caplog.text


def failures_of_metrics(endpoint: Collector) -> int:
    points = endpoint.metrics["driftd.telemetry.export.failures"].sum.data_points
    return max(int(p.as_int) for p in points for a in p.attributes if a.value.string_value == "metrics")


@pytest.mark.timeout(50)  # an export waits 60 s for the endpoint
def test_an_unresponsive_endpoint_delays_neither_the_daemon_nor_its_stop(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as unresponsive:  # accepts connections and never responds
        telemetry = telemetry_to(f"http://127.0.0.1:{unresponsive.getsockname()[1]}", timeout_s=60.0)
        for _ in range(5000):  # more than the capacity of the queue
            with telemetry.span("ingest.receive"):
                pass
        telemetry.close()
    assert "Queue full" not in caplog.text
