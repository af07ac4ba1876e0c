"""LangSmith's endpoints: the server information, runs in LangSmith's own protocol, and feedback.

With LANGSMITH_TRACING_MODE=otel, clients send traces to `/otel/v1/traces` of this port instead. Spans of other
instrumentations inside a run then get their ids from the run, so feedback on the run reaches them. Spans that LangSmith
exports itself do not have the id of their run.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from monitor.errors import DriftdError, MalformedRecord
from monitor.ingest.compat import langsmith_feedback as stored
from monitor.ingest.compat import langsmith_runs as runs
from monitor.ingest.compat.endpoint import CompatEndpoint
from monitor.ingest.feedback_shapes.langsmith import PREFIX, of_feedback

PRODUCT: Final = "langsmith"
# Without a version, the client posts each feedback separately, and the answer follows its commit.
INFO: Final[Mapping[str, Any]] = {
    "version": "",
    "batch_ingest_config": {
        "use_multipart_endpoint": True,
        "scale_up_qsize_trigger": 1000,
        "scale_up_nthreads_limit": 16,
        "scale_down_nempty_trigger": 4,
        "size_limit": 100,
        "size_limit_bytes": 20 * 1024 * 1024,
    },
    "instance_flags": {"zstd_compression_enabled": True},
}


def routes(endpoint: CompatEndpoint) -> Sequence[BaseRoute]:
    async def info(_request: Request) -> Response:
        return JSONResponse(INFO)

    async def create(request: Request) -> Response:
        body = await endpoint.body(request)
        [verdict] = await endpoint.land(PRODUCT, [body], of_feedback)
        if verdict.reason is not None or verdict.id is None:
            raise MalformedRecord(str(verdict.reason))
        return JSONResponse({"id": verdict.id.removeprefix(PREFIX)})

    one = "/feedback/{feedback_id:uuid}"
    may_read = endpoint.may_read
    return [
        Route("/info", endpoint.endpoint(PRODUCT, info, error_body), methods=["GET"]),
        Route("/feedback", endpoint.endpoint(PRODUCT, create, error_body), methods=["POST"]),
        Route("/feedback", endpoint.endpoint(PRODUCT, stored.listed(endpoint), error_body, authorize=may_read)),
        Route(one, endpoint.endpoint(PRODUCT, stored.give_out(endpoint), error_body, authorize=may_read)),
        Route(one, endpoint.endpoint(PRODUCT, stored.change(endpoint, PRODUCT), error_body), methods=["PATCH"]),
        Route(one, endpoint.endpoint(PRODUCT, stored.take_back(endpoint), error_body), methods=["DELETE"]),
        Route("/runs", endpoint.endpoint(PRODUCT, runs.one(endpoint), error_body), methods=["POST"]),
        Route("/runs/{run_id:uuid}", endpoint.endpoint(PRODUCT, runs.one(endpoint), error_body), methods=["PATCH"]),
        Route("/runs/batch", endpoint.endpoint(PRODUCT, runs.batch(endpoint), error_body), methods=["POST"]),
        Route("/runs/multipart", endpoint.endpoint(PRODUCT, runs.multipart(endpoint), error_body), methods=["POST"]),
    ]


def error_body(error: DriftdError) -> Mapping[str, Any]:
    return {"detail": str(error)}
