"""One stored assessment: read, change, or delete it."""

from dataclasses import replace
from datetime import datetime
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.errors import MalformedRecord, NotFound
from monitor.ingest.compat.endpoint import CompatEndpoint, Handler
from monitor.ingest.feedback_shapes.annotation import Annotation
from monitor.ingest.feedback_shapes.mlflow import is_assessment, of_assessment, trace_of
from monitor.ingest.feedback_shapes.mlflow_record import changed, given_out, mask_of
from monitor.store.traffic import feedback
from monitor.store.traffic.feedback import Stored

UNSAID: Final = ("assessment_id", "trace_id", "source", "create_time", "last_update_time", "valid")


def give_out(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        return JSONResponse({"assessment": _given_out(request, await _stored(endpoint, request))})

    return handle


def change(endpoint: CompatEndpoint, product: str) -> Handler:
    """Change an assessment. A sender without permission to read gets back its own fields only."""

    async def handle(request: Request) -> Response:
        body = await endpoint.body(request)
        if not isinstance(body, dict):
            raise MalformedRecord("the body is not a JSON object")
        patch, mask = body.get("assessment"), mask_of(body.get("update_mask"))
        stored = await _stored(endpoint, request)

        def read(record: Any, now: datetime) -> Annotation:
            new = of_assessment(changed(stored.feedback, record, mask, now), request.path_params["trace_id"], now)
            return replace(new, id=stored.feedback.id, only_revises=True)

        [verdict] = await endpoint.land(product, [patch], read)
        if verdict.reason is not None:
            raise MalformedRecord(verdict.reason)
        now_stored = _given_out(request, await _stored(endpoint, request))
        if not endpoint.reads(request):
            sent = {key: value for key, value in dict(patch or {}).items() if key in mask}
            now_stored = {key: now_stored[key] for key in UNSAID} | sent
        return JSONResponse({"assessment": now_stored})

    return handle


def take_back(endpoint: CompatEndpoint) -> Handler:
    """Delete an assessment. Deleting a missing one succeeds, as in MLflow."""

    async def handle(request: Request) -> Response:
        if (stored := await _found(endpoint, request)) is not None:
            await endpoint.take_back(stored.feedback.id)
        return JSONResponse({})

    return handle


async def _stored(endpoint: CompatEndpoint, request: Request) -> Stored:
    stored = await _found(endpoint, request)
    if stored is None or stored.feedback.record is None:
        trace, wanted = request.path_params["trace_id"], request.path_params["assessment_id"]
        raise NotFound(f"trace {trace!r} has no assessment {wanted!r}; it was deleted or has expired")
    return stored


async def _found(endpoint: CompatEndpoint, request: Request) -> Stored | None:
    """Return the stored assessment; None for feedback from another endpoint."""
    trace, wanted = trace_of(request.path_params["trace_id"]), request.path_params["assessment_id"]
    return await endpoint.query(lambda tx: feedback.of_trace(tx, wanted, trace)) if is_assessment(wanted) else None


def _given_out(request: Request, stored: Stored) -> dict[str, Any]:
    return given_out(stored.feedback, request.path_params["trace_id"], overridden=stored.overridden)
