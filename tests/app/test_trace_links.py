"""After a change, the trace of its replay leads to the production calls that showed the change."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.trace import SpanContext

from tests.app.house import DEPLOYMENT, SETTLE_S, House, daemon
from tests.telemetry.collector import attributes_of, collector

CASES = 20


def with_fast_changes(deployments: Mapping[str, Any]) -> dict[str, Any]:
    section = {**deployments[DEPLOYMENT], "changes": {"min_interactions": 1}}
    return {**deployments, DEPLOYMENT: section}


def call(house: House, model: str) -> SpanContext:
    """Send one call that the model answered, as an instrumented product does. Return its place in the trace."""
    provider = TracerProvider(resource=Resource({"service.name": DEPLOYMENT}))
    exporter = OTLPSpanExporter(endpoint=f"{house.app.addresses['ingest.otlp']}/v1/traces")
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    now = int(house.clock.now().timestamp() * 1e9)
    names = {"operation.name": "chat", "request.model": "gpt-4", "response.model": model}
    attributes = {f"gen_ai.{name}": value for name, value in names.items()}
    span = provider.get_tracer("product").start_span("chat gpt-4", attributes=attributes, start_time=now)
    span.end(now + 10**9)
    provider.shutdown()
    house.app.settle(SETTLE_S)
    return span.get_span_context()


def test_the_replay_after_a_change_links_the_first_calls_of_the_new_version(tmp_path: Path) -> None:
    with collector() as endpoint:
        settings: dict[str, Any] = {
            "telemetry": {"otlp_endpoint": endpoint.address},
            "deployments": with_fast_changes,
        }
        with daemon(tmp_path, **settings) as house:
            house.import_primes(CASES)
            old = call(house, "gpt-4-0314")
            house.serve("gpt-4-0613")
            new = call(house, "gpt-4-0613")
            changes = {one["id"]: one for one in house.listed("changes")}
        runs = [span for span in endpoint.named("replay.run") if "driftd.change_id" in attributes_of(span)]
        linked = {attributes_of(run)["driftd.change_id"]: run.links for run in runs}
        observed = next(id_ for id_ in linked if changes[id_]["from_version"] is not None)
        [link] = linked[observed]
        assert (link.trace_id, link.span_id) == (new.trace_id.to_bytes(16), new.span_id.to_bytes(8))
        assert all(one.span_id != old.span_id.to_bytes(8) for one in linked[observed])
