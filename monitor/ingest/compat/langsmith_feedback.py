"""Stored feedback of LangSmith's clients: read by id, list by runs, change, delete."""

from datetime import datetime
from typing import Any, Final
from uuid import UUID

from starlette.datastructures import QueryParams
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from monitor.domain.feedback import Feedback
from monitor.errors import MalformedRecord, NotFound
from monitor.ingest.compat.endpoint import CompatEndpoint, Handler
from monitor.ingest.feedback_shapes.annotation import Annotation
from monitor.ingest.feedback_shapes.langsmith import CHANGEABLE, PREFIX, given_out, of_feedback, span_of, with_changes
from monitor.store.engine.pagination import PageQuery
from monitor.store.traffic import feedback

MOST: Final = 1000  # items of one list, and runs of one request


def give_out(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        return JSONResponse(given_out(await _stored(endpoint, request)))

    return handle


def listed(endpoint: CompatEndpoint) -> Handler:
    """List the feedback of the named runs. A list of all feedback is not supported."""

    async def handle(request: Request) -> Response:
        params = request.query_params
        runs = [_uuid(found) for found in params.getlist("run")]
        if not 1 <= len(runs) <= MOST:
            raise MalformedRecord(f"parameter 'run' occurs {len(runs)} times; name 1 to {MOST} runs")
        spans = sorted({span_of(run) for run in runs})
        page = await endpoint.query(
            lambda tx: feedback.page_of_spans(
                tx, PageQuery(limit=MOST), spans, prefix=PREFIX, only=params.getlist("key")
            )
        )
        of_runs, sources = {str(run) for run in runs}, params.getlist("source")
        found = [given_out(item) for item in page.items if item.record is not None]
        found = [one for one in found if one["run_id"] in of_runs]
        found = [one for one in found if not sources or one.get("feedback_source", {}).get("type") in sources]
        offset, limit = _number(params, "offset", 0), _number(params, "limit", 100)
        return JSONResponse(found[offset : offset + limit])

    return handle


def change(endpoint: CompatEndpoint, product: str) -> Handler:
    """Change the named fields; null removes a value. The answer contains only the fields of the request."""

    async def handle(request: Request) -> Response:
        body = await endpoint.body(request)
        if not isinstance(body, dict):
            raise MalformedRecord("the body is not a JSON object")
        if unknown_keys := sorted(set(body) - {*CHANGEABLE, "feedback_config", "id"}):
            raise MalformedRecord(f"field {unknown_keys[0][:80]!r} cannot be changed; known: {', '.join(CHANGEABLE)}")
        stored = await _stored(endpoint, request)

        def read(record: Any, now: datetime) -> Annotation:
            return of_feedback(with_changes(stored, record, now), now, only_revises=True)

        [verdict] = await endpoint.land(product, [body], read)
        if verdict.reason is not None:
            raise MalformedRecord(verdict.reason)
        return JSONResponse({"id": str(request.path_params["feedback_id"]), **body})

    return handle


def take_back(endpoint: CompatEndpoint) -> Handler:
    async def handle(request: Request) -> Response:
        found: UUID = request.path_params["feedback_id"]
        await endpoint.take_back(f"{PREFIX}{found}")
        return JSONResponse({})

    return handle


async def _stored(endpoint: CompatEndpoint, request: Request) -> Feedback:
    wanted: UUID = request.path_params["feedback_id"]
    stored = await endpoint.query(lambda tx: feedback.by_id(tx, f"{PREFIX}{wanted}"))
    if stored is None or stored.record is None:
        raise NotFound(f"there is no feedback {wanted}; it was deleted or has expired")
    return stored


def _uuid(found: str) -> UUID:
    try:
        return UUID(found)
    except ValueError:
        raise MalformedRecord(f"parameter 'run' is not a UUID: {found[:80]!r}") from None


def _number(params: QueryParams, name: str, default: int) -> int:
    found = params.get(name, str(default))
    if not found.isdecimal() or len(found) > 9:
        raise MalformedRecord(f"parameter {name!r} is not a number of 0 or more")
    return int(found)
