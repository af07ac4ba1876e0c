"""MLflow's endpoint that assesses a trace, for `mlflow.log_feedback`, `log_expectation` and `log_assessment`."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from monitor.errors import DriftdError, Forbidden, MalformedRecord, Permanent, Retryable, Unauthenticated
from monitor.ingest.compat.door import Door
from monitor.ingest.feedback_shapes.mlflow import of_assessment
from monitor.ingest.feedback_shapes.said import Said

PRODUCT: Final = "mlflow"
PATH: Final = "/api/3.0/mlflow/traces/{trace_id}/assessments"


def routes(door: Door) -> Sequence[BaseRoute]:
    async def handle(request: Request) -> Response:
        trace_id = request.path_params["trace_id"]

        def read(record: Any, now: datetime) -> Said:
            return of_assessment(record, trace_id, now)

        body = await door.body(request)
        assessment = body.get("assessment") if isinstance(body, dict) else None
        [verdict] = await door.land(PRODUCT, [assessment], read)
        if verdict.reason is not None or not isinstance(assessment, dict):
            raise MalformedRecord(str(verdict.reason))
        return JSONResponse({"assessment": {**assessment, "trace_id": trace_id, "assessment_id": verdict.id}})

    return [
        Route(PATH, door.endpoint(PRODUCT, handle, error_body), methods=["POST"]),
        Route(
            f"{PATH}/{{assessment_id}}", door.endpoint(PRODUCT, _later, error_body), methods=["GET", "PATCH", "DELETE"]
        ),
    ]


class NotImplementedHere(Permanent):
    """A request that this product's server knows and driftd does not."""

    status = 501
    code = "not_implemented"


async def _later(_request: Request) -> Response:
    raise NotImplementedHere("driftd keeps assessments and does not give them out or change them; log it again instead")


def error_body(error: DriftdError) -> Mapping[str, Any]:
    """`error_code` is one of MLflow's own names: its client decides by it what to raise."""
    match error:
        case Unauthenticated():
            code = "UNAUTHENTICATED"
        case Forbidden():
            code = "PERMISSION_DENIED"
        case NotImplementedHere():
            code = "NOT_IMPLEMENTED"
        case Retryable():
            code = "RESOURCE_EXHAUSTED" if error.status == 429 else "TEMPORARILY_UNAVAILABLE"
        case _:
            code = "INVALID_PARAMETER_VALUE" if error.status < 500 else "INTERNAL_ERROR"
    return {"error_code": code, "message": str(error)}
