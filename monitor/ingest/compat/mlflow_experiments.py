"""MLflow's other endpoints: experiments, the version, the end of a trace, and the search for traces.

An experiment is only a name, and its id is the name in base64. A search returns the calls of the deployment with the
name of the experiment.
"""

import base64
import binascii
from collections.abc import Mapping
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response

from monitor.domain.interaction import Interaction, Status
from monitor.errors import MalformedRecord, NotFound
from monitor.ingest.compat.endpoint import CompatEndpoint, Handler
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import interactions

VERSION: Final = "3.4.0"  # the oldest server version for which clients send spans by OTLP
DEFAULT: Final = "0"  # the id of a client's default experiment
# Without it, the client searches for an upload location.
SPANS_BY_OTLP: Final = {"mlflow.trace.spansLocation": "TRACKING_STORE"}
PREVIEW: Final = 1000  # characters of a text; MLflow has the same limit
MOST: Final = 500


def id_of(name: str) -> str:
    """Return the id of an experiment.

    >>> name_of(id_of("support bot"))
    'support bot'
    """
    return base64.urlsafe_b64encode(name.encode()).decode().rstrip("=")


def name_of(experiment_id: str) -> str:
    """Return the name of an experiment id from `id_of`. Raise NotFound for any other id."""
    if experiment_id == DEFAULT:
        return "Default"
    try:
        return base64.urlsafe_b64decode(experiment_id + "=" * (-len(experiment_id) % 4)).decode()
    except (binascii.Error, ValueError):
        raise NotFound(
            f"driftd did not issue experiment id {experiment_id[:80]!r}; set the experiment by its name"
        ) from None


async def version(_request: Request) -> Response:
    return PlainTextResponse(VERSION)


async def get_by_name(request: Request) -> Response:
    name = request.query_params.get("experiment_name")
    if not name:
        raise MalformedRecord("parameter 'experiment_name' is missing")
    return JSONResponse({"experiment": _experiment(id_of(name), name)})


async def get_by_id(request: Request) -> Response:
    experiment_id = request.query_params.get("experiment_id", "")
    return JSONResponse({"experiment": _experiment(experiment_id, name_of(experiment_id))})


def start_trace(endpoint: CompatEndpoint) -> Handler:
    """Accept the end of a trace. Its spans come by OTLP, and only those are stored."""

    async def handle(request: Request) -> Response:
        body = await endpoint.body(request)
        trace = body.get("trace") if isinstance(body, dict) else None
        info = trace.get("trace_info") if isinstance(trace, dict) else None
        if not isinstance(info, dict):
            raise MalformedRecord("field 'trace.trace_info' is not a JSON object")
        tags = info.get("tags")
        trace_info_with_tags = {**info, "tags": {**(tags if isinstance(tags, dict) else {}), **SPANS_BY_OTLP}}
        return JSONResponse({"trace": {"trace_info": trace_info_with_tags}})

    return handle


def search(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        body = await endpoint.body(request)
        if not isinstance(body, dict):
            raise MalformedRecord("the body is not a JSON object")
        if body.get("filter") or body.get("order_by"):
            raise MalformedRecord("driftd's search has no filter and no order: it returns the newest calls first")
        experiment = _location(body)
        limit, token = body.get("max_results", 100), body.get("page_token")
        if not isinstance(limit, int) or limit < 1 or not isinstance(token, str | None):
            raise MalformedRecord("field 'max_results' is not a number above 0, or 'page_token' is not text")
        query = PageQuery(limit=min(limit, MOST), cursor=token or None, deployment=name_of(experiment))
        page = await endpoint.query(lambda tx: interactions.page_of_traces(tx, query))
        traces = [trace_info(item, experiment) for item in page.items if item.trace_id]
        return JSONResponse({"traces": traces, **({"next_page_token": page.next_cursor} if page.next_cursor else {})})

    return handle


def _location(body: Mapping[str, Any]) -> str:
    locations = body.get("locations")
    if not isinstance(locations, list) or len(locations) != 1:
        raise MalformedRecord("field 'locations' does not name one experiment")
    inner = locations[0].get("mlflow_experiment") if isinstance(locations[0], dict) else None
    found = inner.get("experiment_id") if isinstance(inner, dict) else None
    if not isinstance(found, str):
        raise MalformedRecord("field 'locations[0].mlflow_experiment.experiment_id' is not text")
    return found


def _experiment(experiment_id: str, name: str) -> dict[str, Any]:
    return {"experiment_id": experiment_id, "name": name, "lifecycle_stage": "active", "artifact_location": ""}


def trace_info(item: Interaction, experiment: str) -> dict[str, Any]:
    info = {
        "trace_id": f"tr-{item.trace_id}",
        "trace_location": {"type": "MLFLOW_EXPERIMENT", "mlflow_experiment": {"experiment_id": experiment}},
        "request_time": item.started_at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "state": "ERROR" if item.status is Status.ERROR else "OK",
        "request_preview": item.input_text[:PREVIEW],
        "response_preview": item.output_text[:PREVIEW],
        "tags": SPANS_BY_OTLP,
    }
    if item.duration_ms is not None:
        info["execution_duration"] = f"{item.duration_ms / 1000:.3f}s"
    return info
