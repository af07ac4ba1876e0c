"""What LangSmith's client asks and posts beside OTLP: `Client.info`, `create_feedback` and `delete_feedback`.

Its traces come by its own OpenTelemetry export (`LANGSMITH_TRACING_MODE=otel`), to `/otel/v1/traces` of this port.
Spans of other instrumentations within a run take their ids from the run, and feedback about it reaches them. The spans
that LangSmith exports itself carry no id of their run.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from monitor.errors import DriftdError, MalformedRecord
from monitor.ingest.compat.door import Door
from monitor.ingest.feedback_shapes.langsmith import PREFIX, of_feedback

PRODUCT: Final = "langsmith"
# Without the multipart endpoint each feedback is posted by itself, and answered after its commit.
INFO: Final[Mapping[str, Any]] = {
    "version": "",
    "batch_ingest_config": {
        "use_multipart_endpoint": False,
        "scale_up_qsize_trigger": 1000,
        "scale_up_nthreads_limit": 16,
        "scale_down_nempty_trigger": 4,
        "size_limit": 100,
        "size_limit_bytes": 20 * 1024 * 1024,
    },
    "instance_flags": {},
}


def routes(door: Door) -> Sequence[BaseRoute]:
    async def info(_request: Request) -> Response:
        return JSONResponse(INFO)

    async def create(request: Request) -> Response:
        body = await door.body(request)
        [verdict] = await door.land(PRODUCT, [body], of_feedback)
        if verdict.reason is not None or verdict.id is None:
            raise MalformedRecord(str(verdict.reason))
        return JSONResponse({"id": verdict.id.removeprefix(PREFIX)})

    async def delete(request: Request) -> Response:
        found: UUID = request.path_params["feedback_id"]
        await door.take_back(f"{PREFIX}{found}")
        return JSONResponse({})

    return [
        Route("/info", door.endpoint(PRODUCT, info, error_body), methods=["GET"]),
        Route("/feedback", door.endpoint(PRODUCT, create, error_body), methods=["POST"]),
        Route("/feedback/{feedback_id:uuid}", door.endpoint(PRODUCT, delete, error_body), methods=["DELETE"]),
    ]


def error_body(error: DriftdError) -> Mapping[str, Any]:
    return {"detail": str(error)}
