"""MLflow's endpoints for assessments of a trace: `mlflow.log_feedback`, `log_expectation`, `log_assessment`,
`get_assessment`, `update_assessment`, `override_feedback` and `delete_assessment`; also `set_experiment` and
`search_traces`.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from monitor.errors import DriftdError, Forbidden, MalformedRecord, NotFound, Retryable, Unauthenticated
from monitor.ingest.compat import mlflow_experiments as experiments
from monitor.ingest.compat import mlflow_one
from monitor.ingest.compat import mlflow_traces as traces
from monitor.ingest.compat.endpoint import CompatEndpoint
from monitor.ingest.feedback_shapes.annotation import Annotation
from monitor.ingest.feedback_shapes.mlflow import of_assessment

PRODUCT: Final = "mlflow"
TRACES: Final = "/api/3.0/mlflow/traces"
EXPERIMENTS: Final = "/api/2.0/mlflow/experiments"
PATH: Final = f"{TRACES}/{{trace_id}}/assessments"
ONE: Final = f"{PATH}/{{assessment_id}}"


def routes(endpoint: CompatEndpoint) -> Sequence[BaseRoute]:
    async def handle(request: Request) -> Response:
        trace_id = request.path_params["trace_id"]

        def read(record: Any, now: datetime) -> Annotation:
            return of_assessment(record, trace_id, now)

        body = await endpoint.body(request)
        assessment = body.get("assessment") if isinstance(body, dict) else None
        [verdict] = await endpoint.land(PRODUCT, [assessment], read)
        if verdict.reason is not None or not isinstance(assessment, dict):
            raise MalformedRecord(str(verdict.reason))
        return JSONResponse({"assessment": {**assessment, "trace_id": trace_id, "assessment_id": verdict.id}})

    return [
        Route(PATH, endpoint.endpoint(PRODUCT, handle, error_body), methods=["POST"]),
        Route(ONE, endpoint.endpoint(PRODUCT, mlflow_one.give_out(endpoint), error_body, authorize=endpoint.may_read)),
        Route(ONE, endpoint.endpoint(PRODUCT, mlflow_one.change(endpoint, PRODUCT), error_body), methods=["PATCH"]),
        Route(ONE, endpoint.endpoint(PRODUCT, mlflow_one.take_back(endpoint), error_body), methods=["DELETE"]),
        Route("/version", endpoint.endpoint(PRODUCT, experiments.version, error_body)),
        Route(f"{EXPERIMENTS}/get-by-name", endpoint.endpoint(PRODUCT, experiments.get_by_name, error_body)),
        Route(f"{EXPERIMENTS}/get", endpoint.endpoint(PRODUCT, experiments.get_by_id, error_body)),
        Route(
            f"{TRACES}/batchGet",
            endpoint.endpoint(PRODUCT, traces.batch(endpoint), error_body, authorize=endpoint.may_read),
        ),
        Route(
            f"{TRACES}/get", endpoint.endpoint(PRODUCT, traces.one(endpoint), error_body, authorize=endpoint.may_read)
        ),
        Route(
            f"{TRACES}/{{trace_id}}",
            endpoint.endpoint(PRODUCT, traces.one(endpoint), error_body, authorize=endpoint.may_read),
        ),
        Route(TRACES, endpoint.endpoint(PRODUCT, experiments.start_trace(endpoint), error_body), methods=["POST"]),
        Route(
            f"{TRACES}/search",
            endpoint.endpoint(PRODUCT, experiments.search(endpoint), error_body, authorize=endpoint.may_read),
            methods=["POST"],
        ),
    ]


def error_body(error: DriftdError) -> Mapping[str, Any]:
    """Return the body of an error. `error_code` is one of MLflow's names, from which the client
    selects its exception.
    """
    match error:
        case Unauthenticated():
            code = "UNAUTHENTICATED"
        case Forbidden():
            code = "PERMISSION_DENIED"
        case NotFound():
            code = "RESOURCE_DOES_NOT_EXIST"
        case Retryable():
            code = "RESOURCE_EXHAUSTED" if error.status == 429 else "TEMPORARILY_UNAVAILABLE"
        case _:
            code = "INVALID_PARAMETER_VALUE" if error.status < 500 else "INTERNAL_ERROR"
    return {"error_code": code, "message": str(error)}
