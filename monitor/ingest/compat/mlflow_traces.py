"""MLflow's endpoints for traces with spans: `get_trace`, and the default form of `search_traces`."""

from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.domain.interaction import Interaction
from monitor.errors import MalformedRecord, NotFound
from monitor.ingest.compat.endpoint import CompatEndpoint, Handler
from monitor.ingest.compat.given_call import otlp_of
from monitor.ingest.compat.mlflow_experiments import id_of, trace_info
from monitor.ingest.feedback_shapes.mlflow import trace_of
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import interactions

MOST: Final = 100  # traces in one request
CALLS: Final = 1000  # calls in one request


def batch(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        wanted = request.query_params.getlist("trace_ids")
        if not 1 <= len(wanted) <= MOST:
            raise MalformedRecord(f"parameter 'trace_ids' occurs {len(wanted)} times; name 1 to {MOST} traces")
        return JSONResponse({"traces": list((await _traces(endpoint, wanted)).values())})

    return handle


def one(endpoint: CompatEndpoint) -> Handler:
    """Return one trace. With the id in the query, the client wants its spans; with the id in the path, its information
    only.
    """

    async def handle(request: Request) -> Response:
        wanted = request.path_params.get("trace_id") or request.query_params.get("trace_id", "")
        found = await _traces(endpoint, [wanted])
        if not found:
            raise NotFound(f"Trace with ID {wanted[:80]!r} not found: no call of it is stored")
        return JSONResponse({"trace": next(iter(found.values()))})

    return handle


async def _traces(endpoint: CompatEndpoint, wanted: list[str]) -> Mapping[str, Any]:
    """Return each trace with its stored calls in start order."""
    ids = [trace for found in wanted if (trace := trace_of(found)) is not None]
    if not ids:
        return {}
    page = await endpoint.query(lambda tx: interactions.page_of_traces(tx, PageQuery(limit=CALLS), traces=ids))
    calls: dict[str, list[Interaction]] = {}
    for item in reversed(page.items):
        calls.setdefault(str(item.trace_id), []).append(item)
    return {
        trace: {"trace_info": trace_info(own[0], id_of(own[0].deployment)), "spans": [otlp_of(item) for item in own]}
        for trace in ids
        if (own := calls.get(trace))
    }
