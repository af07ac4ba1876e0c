"""An OTLP/HTTP endpoint on a free port that records or refuses exports."""

import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from monitor.servers import HttpListener, Servers


@dataclass
class Collector:
    """The received exports. `status` is the status of every response; only accepted exports (200) are recorded."""

    address: str = ""
    status: int = 200
    spans: list[Span] = field(default_factory=list)
    metrics: dict[str, Metric] = field(default_factory=dict)  # the newest of each name
    resources: list[dict[str, str]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)
    requests: int = 0
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def wait_for(self, condition: Callable[["Collector"], bool]) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: condition(self), timeout=30), (
                f"not received in 30 s; {self.requests} requests"
            )

    def named(self, name: str) -> list[Span]:
        return [span for span in self.spans if span.name == name]

    def trace_of(self, span: Span) -> list[str]:
        """Return the names of the spans of its trace, in the order of their start."""
        own = [other for other in self.spans if other.trace_id == span.trace_id]
        return [other.name for other in sorted(own, key=lambda one: one.start_time_unix_nano)]

    async def receive_traces(self, request: Request) -> Response:
        body = await request.body()
        with self._changed:
            if self._accepts(request, body):
                for group in ExportTraceServiceRequest.FromString(body).resource_spans:
                    self._record_resource(group.resource.attributes)
                    self.spans += [span for scope in group.scope_spans for span in scope.spans]
            self._changed.notify_all()
        return Response(status_code=self.status)

    async def receive_metrics(self, request: Request) -> Response:
        body = await request.body()
        with self._changed:
            if self._accepts(request, body):
                for group in ExportMetricsServiceRequest.FromString(body).resource_metrics:
                    self._record_resource(group.resource.attributes)
                    self.metrics |= {one.name: one for scope in group.scope_metrics for one in scope.metrics}
            self._changed.notify_all()
        return Response(status_code=self.status)

    def _accepts(self, request: Request, body: bytes) -> bool:
        self.requests += 1
        self.headers.append(dict(request.headers))
        self.bodies.append(body)
        return self.status == 200

    def _record_resource(self, attributes: Iterable[KeyValue]) -> None:
        self.resources.append({one.key: one.value.string_value for one in attributes})


def attributes_of(span: Span) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in span.attributes}


@contextmanager
def collector() -> Iterator[Collector]:
    one = Collector()
    routes = [
        Route("/v1/traces", one.receive_traces, methods=["POST"]),
        Route("/v1/metrics", one.receive_metrics, methods=["POST"]),
    ]
    servers = Servers([HttpListener(key="collector", app=Starlette(routes=routes), host="127.0.0.1", port=0)])
    servers.start()
    one.address = servers.addresses["collector"]
    try:
        yield one
    finally:
        servers.stop()
